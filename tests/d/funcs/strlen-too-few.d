/* strlen() takes one argument. */

BEGIN { trace(strlen()); }
