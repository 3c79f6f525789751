/* An inline cannot use itself. */
/* @options: -q */

inline int f[int n] = f[n];
BEGIN { trace(f[1]); exit(0); }
