/* Where it was: in the kernel, or in a process. */
/* @options: -q */

profile-97 { n = (arg0 != 0) ^^ (arg1 != 0) ? 1 : 2; }
tick-500ms { printf("%d\n", n); exit(0); }
