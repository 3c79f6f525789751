/* Strings are not added. */

BEGIN { x = "a" + "b"; }
