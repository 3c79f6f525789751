/* Values are divided when they are printed. */
/* @options: -q */

BEGIN { @["a"] = sum(100); @["b"] = sum(250); }
BEGIN { normalize(@, 100); exit(0); }
