/* A name for a value. */
/* @options: -q */

inline int ANSWER = 42;
BEGIN { printf("%d\n", ANSWER); exit(0); }
