/* The name of a provider has at most 63 characters. */

provider aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa { probe q(int); };
BEGIN { exit(0); }
