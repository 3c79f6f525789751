/* An inline has the type that it says. */
/* @options: -q */

inline char LETTER = 300;
inline uint64_t BIG = -1;
BEGIN { printf("%d %u\n", LETTER, BIG); exit(0); }
