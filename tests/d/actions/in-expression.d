/* An action is a statement. */

BEGIN { (void)trace(1); }
