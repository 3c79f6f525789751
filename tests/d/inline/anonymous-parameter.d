/* @options: -q */
/* A parameter that is not used needs no name. */

inline int twice[int, int b] = b * 2;
BEGIN { printf("%d\n", twice[5, 4]); exit(0); }
