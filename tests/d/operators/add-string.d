/* Strings are not added. */

BEGIN { x = "a" + 1; }
