/* lltostr() takes a number. */

BEGIN { trace(lltostr("12")); }
