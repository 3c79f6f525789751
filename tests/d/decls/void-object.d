/* There are no variables of type void. */

void x;
BEGIN { trace(1); }
