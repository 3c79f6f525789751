/* The number of a macro argument is too large. */

BEGIN { trace($99999999999999999999); }
