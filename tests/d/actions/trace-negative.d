/* The sign is kept. */

BEGIN { trace(-7); exit(0); }
