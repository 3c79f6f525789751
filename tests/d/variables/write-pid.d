/* Built-in variables are not for writing. */

BEGIN { pid = 1; }
