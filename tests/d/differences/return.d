/*
 * @language: `return`
 * @dtrace: In recent versions of Oracle's, a function of the kernel returns without doing anything.
 * @erlbpf: It is an error: erlbpf must not harm a machine.
 */
/* @options: -w */

BEGIN { return(0); }
