/* One translator for each pair of types. */
/* @options: -q */

struct i { int a; }; struct o { int b; };
translator struct o < struct i *p > { b = 1; };
translator struct o < struct i *p > { b = 2; };
BEGIN { exit(0); }
