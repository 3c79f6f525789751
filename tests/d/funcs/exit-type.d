/* It is a number. */

BEGIN { exit("zero"); }
