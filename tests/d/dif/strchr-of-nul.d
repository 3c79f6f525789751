/* The NUL at the end of a string is found, and what begins there is empty. */
/* @options: -q */

BEGIN { printf("[%s][%s]\n", strchr("abc", '\0'), strrchr("abc", 0)); exit(0); }
