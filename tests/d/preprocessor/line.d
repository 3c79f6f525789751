/* A line that the preprocessor leaves behind. */
/* @options: -q */

# 1 "other.d"
BEGIN { printf("ok\n"); exit(0); }
