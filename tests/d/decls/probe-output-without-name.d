/* What tracers see has a name. */

provider p { probe q(int a) : (int); };
BEGIN { exit(0); }
