/* The format is a string. */

BEGIN { printf(1); }
