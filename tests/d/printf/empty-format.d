/* And not empty. */

BEGIN { printf(""); }
