/* Of a struct that is only named there are no variables. */

struct nobody x;
BEGIN { trace(1); }
