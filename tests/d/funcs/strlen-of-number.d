/* And it is a string. */

BEGIN { trace(strlen(1)); }
