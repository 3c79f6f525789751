/* A probe has as many arguments as it is said to have. */
/* @options: -q */

sched:::on-cpu { trace(args[0]); }
