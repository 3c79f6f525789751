/*
 * @adds: `-x agghist`, `aggzoom`, `aggpack` and `encoding`
 * @erlbpf: The forms of output that illumos has, which DTrace on Linux does not have.
 */
/* @options: -q -xagghist -xaggzoom */

BEGIN { @["a"] = sum(1); @["b"] = sum(2); exit(0); }
