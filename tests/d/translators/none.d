/* There must be a translator. */

struct in { int a; };
struct out { int b; };
BEGIN { this->p = (struct in *)alloca(8); trace(xlate <struct out *> (this->p)->b); }
