/* In a program while it runs. */
/* @options: -q */

BEGIN { @["b"] = sum(1); @["a"] = sum(2); setopt("aggsortkey"); }
BEGIN { printa("%s %@d\n", @); exit(0); }
