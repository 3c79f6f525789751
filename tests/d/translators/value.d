/* Also from a number. */
/* @options: -q */

struct out { int twice; int thrice; };
translator struct out < int n > { twice = n * 2; thrice = n * 3; };
BEGIN { printf("%d %d\n", xlate <struct out> (7).twice, xlate <struct out> (7).thrice); exit(0); }
