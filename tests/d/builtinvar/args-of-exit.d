/* A probe has as many arguments as it is said to have. */
/* @options: -q */

proc:::exit { trace(args[1]); }
