/* As stable as asked for. */
/* @options: -q -xamin=Stable/Stable/Common */

BEGIN { x = timestamp; printf("ok\n"); exit(0); }
