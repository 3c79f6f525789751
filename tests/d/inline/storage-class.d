/* An inline has no storage class. */

inline self int x = 3;
BEGIN { exit(0); }
