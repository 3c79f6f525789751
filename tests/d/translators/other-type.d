/* Of their types. */

struct in { int a; };
struct out { int b; };
translator struct out < struct in *p > { b = "text"; };
BEGIN { trace(1); }
