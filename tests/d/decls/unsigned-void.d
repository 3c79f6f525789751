/* void has no attributes. */

unsigned void x;
BEGIN { trace(1); }
