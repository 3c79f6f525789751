/*
 * @language: `'\?'` and `'\''`
 * @dtrace: The backslash stays, so the constant has two characters.
 * @erlbpf: They are one character, as in C.
 */
/* @options: -q */

BEGIN { printf("%d %d\n", '\?', '\''); exit(0); }
