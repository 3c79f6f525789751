/* A bit-field with a name has bits. */

struct s { int a:0; };
BEGIN { trace(1); }
