/* With a division in parentheses. */
/* @options: -q */

BEGIN { x = 10; }
BEGIN /(x / 2) == 5/ { printf("yes\n"); exit(0); }
