/* There is no such macro variable. */

BEGIN { trace($nosuch); }
