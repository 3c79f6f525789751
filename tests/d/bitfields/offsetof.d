/* It has no offset. */

struct s { int a:3; int b:5; };
BEGIN { trace(offsetof(struct s, b)); }
