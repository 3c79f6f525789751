/* What a translator makes is known where it is declared. */

translator struct out < int i > { a = i; };
struct out { int a; };
BEGIN { exit(0); }
