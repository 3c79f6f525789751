/* And no more. */

BEGIN { trace(1, 2); }
