/* A variable is no function. */

BEGIN { pid(); }
