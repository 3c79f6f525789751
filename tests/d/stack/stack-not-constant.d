/* Of stack() too the number is constant. */

BEGIN { stack(pid); }
