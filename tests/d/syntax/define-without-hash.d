/* In a file, what is no declaration is not taken for probe descriptions. */

define LIMIT 5
BEGIN { exit(0); }
