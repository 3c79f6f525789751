/* Statements are set apart by semicolons. */

BEGIN { trace(1) trace(2); }
