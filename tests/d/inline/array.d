/* An inline of more than a value has parameters, not elements. */

inline int x[5] = 3;
BEGIN { exit(0); }
