/* With another. */
/* @options: -q */

inline int ONE = 1;
inline int TWO = ONE + ONE;
BEGIN { printf("%d\n", TWO); exit(0); }
