/* speculation() takes nothing. */

BEGIN { i = speculation(1); }
