/* What a function returns has no address. */
/* @options: -q */

BEGIN { x = &strlen("a"); exit(0); }
