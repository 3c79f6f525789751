/* Names are matched by globs. */
/* @options: -q */

dtrace:::BEG* { printf("1\n"); }
dt*:::BEGI[MN] { printf("2\n"); }
dtrace:::?EGIN { printf("3\n"); exit(0); }
