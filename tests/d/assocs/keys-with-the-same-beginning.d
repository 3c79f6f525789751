/* All of a text is the key. */
/* @options: -q */

BEGIN { a["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"] = 1; a["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac"] = 2; printf("%d\n", a["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"]); exit(0); }
