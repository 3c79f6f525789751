/* Where it was: in the kernel, or in a process. */
/* @options: -q */

int wrong;

profile-97 { n++; wrong += (arg0 != 0) ^^ (arg1 != 0) ? 0 : 1; }
tick-10ms /n >= 40/ { printf("%d\n", wrong); exit(0); }
