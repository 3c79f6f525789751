/* With quiet there is nothing but the values. */
/* @options: -q */

BEGIN { trace(1); trace("two"); trace(3); exit(0); }
