/* Its type is an integer. */

struct s { string a:3; };
BEGIN { trace(1); }
