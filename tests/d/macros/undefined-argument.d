/* There is no first argument. */

BEGIN { trace($1); }
