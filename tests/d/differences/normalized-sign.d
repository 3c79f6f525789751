/*
 * @language: `normalize()` of negative values
 * @dtrace: Oracle's DTrace divides them as if they had no sign: always in `quantize()`, else where printa() has no format.
 * @erlbpf: They keep their sign.
 */
/* @options: -q */

BEGIN { @ = sum(-100); @d = avg(-30); normalize(@, 2); normalize(@d, 3); printa(@); printa(@d); exit(0); }
