/* To the right. */
/* @options: -q */

BEGIN { x = 1; y = x + (x + (x + (x + (x + (x + (x + (x + (x + (x + (x + x)))))))))); printf("%d\n", y); exit(0); }
