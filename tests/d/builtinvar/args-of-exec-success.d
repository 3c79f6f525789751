/* A probe has as many arguments as it is said to have. */
/* @options: -q */

proc:::exec-success { trace(args[0]); }
