/* A function that gives a text. */
/* @options: -q */

inline string nm[int s] = s == 1 ? "one" : s == 2 ? "two" : "other";
BEGIN { printf("%s %s %s\n", nm[1], nm[2], nm[9]); exit(0); }
