/* A speculation does not end the program. */

BEGIN { i = speculation(); speculate(i); exit(0); }
