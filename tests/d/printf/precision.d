/* Precisions. */
/* @options: -q */

BEGIN { printf("[%.3d] [%.2s] [%8.3s] [%-8.3s]\n", 7, "abcdef", "abcdef", "abcdef"); exit(0); }
