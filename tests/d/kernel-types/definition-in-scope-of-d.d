/* A type is defined without a scope. */

struct D`mine { int a; };

BEGIN { exit(0); }
