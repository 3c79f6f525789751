/* Only structs and unions are translated to. */
/* @options: -q */

translator int < int x > { a = 1; };
BEGIN { exit(0); }
