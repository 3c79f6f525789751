/* A pointer has no negative. */
/* @options: -q */

BEGIN { x = -(char *)1; exit(0); }
