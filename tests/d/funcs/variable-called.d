/* A variable cannot be called. */
/* @options: -q */

BEGIN { x = timestamp(); exit(0); }
