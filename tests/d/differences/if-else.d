/*
 * @adds: `if` and `else`
 * @erlbpf: They are statements and can be nested; DTrace on Linux reserves the words.
 */
/* @options: -q */

BEGIN { if (pid > 0) { printf("yes\n"); } else { printf("no\n"); } exit(0); }
