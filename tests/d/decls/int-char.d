/* Two types make none. */

int char x;
BEGIN { trace(1); }
