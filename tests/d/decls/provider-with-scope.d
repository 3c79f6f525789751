/* The name of a provider is no symbol of the kernel. */

provider p`x { probe q(int); };
BEGIN { exit(0); }
