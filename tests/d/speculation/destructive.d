/* Nor is anything changed. */
/* @options: -w */

BEGIN { i = speculation(); speculate(i); system("true"); }
