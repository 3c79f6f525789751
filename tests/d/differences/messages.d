/*
 * @language: the words of messages
 * @dtrace: They have one wording, on two lines where an argument does not fit.
 * @erlbpf: They are one line, in other words. With `-x errtags` it has DTrace's tag.
 */
/* @options: -q */

BEGIN { exit("x"); }
