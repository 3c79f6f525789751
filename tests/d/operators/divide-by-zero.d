/* A constant zero is found out before it runs. */

BEGIN { x = 1 / 0; }
