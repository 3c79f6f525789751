/* Nor is there a speculation. */

BEGIN { i = speculation(); commit(i); speculate(i); }
