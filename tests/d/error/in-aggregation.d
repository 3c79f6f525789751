/* What is at fault adds nothing, not even a key. */
/* @options: -q */

ERROR { printf("err\n"); }
BEGIN { @["a"] = sum(*(int *)0); }
BEGIN { @["b"] = sum(1); printa("%s %@d\n", @); exit(0); }
