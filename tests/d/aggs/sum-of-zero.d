/* A sum of 0 is printed: the key was there. */
/* @options: -q */

BEGIN { @a[1] = sum(0); exit(0); }
