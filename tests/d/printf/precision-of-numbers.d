/* Digits at least. */
/* @options: -q */

BEGIN { printf("[%.3d][%8.3d]\n", 5, 5); exit(0); }
