/* What tracers see is named as what the probe is fired with. */

provider p { probe q(int a) : (int z); };
BEGIN { exit(0); }
