/* A member that the output does not have. */
/* @options: -q */

struct i { int a; }; struct o { int b; };
translator struct o < struct i *p > { z = 1; };
BEGIN { exit(0); }
