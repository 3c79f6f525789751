/*
 * @language: the words of messages
 * @dtrace: They have one wording, on two lines where an argument does not fit.
 * @erlbpf: They are one line, in other words. With `-x errtags` they have DTrace's tag,
 *   that of the newest of Oracle's where it has changed.
 */
/* @options: -q */

BEGIN { exit("x"); }
