/* A probe has a number of arguments. */

provider p { probe q(int, ...); };
BEGIN { exit(0); }
