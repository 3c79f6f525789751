/* A struct is aligned as its widest member. */
/* @options: -q */

struct i { short a; int b; }; struct o { char c;
struct i d; };
BEGIN { printf("%d\n", offsetof (struct o, d)); exit(0); }
