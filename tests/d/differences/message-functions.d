/*
 * @language: `msgsize`, `msgdsize` and `ddi_pathname`
 * @dtrace: They are for STREAMS and the devices of Solaris.
 * @erlbpf: They are errors, because Linux has neither.
 */
/* @options: -q */

BEGIN { trace(msgsize(0)); exit(0); }
