/* For a string. */
/* @options: -q */

inline string GREETING = "hello";
BEGIN { printf("%s\n", GREETING); exit(0); }
