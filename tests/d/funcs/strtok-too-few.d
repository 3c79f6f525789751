/* strtok() takes two strings. */

BEGIN { trace(strtok("abc")); }
