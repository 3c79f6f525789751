/* A clause has one speculation. */

BEGIN { i = speculation(); speculate(i); speculate(i); }
