/* A system call has as many as it takes. */
/* @options: -q */

write:entry { trace(args[0]); trace(args[1]); trace(args[2]); trace(args[3]); }
BEGIN { exit(0); }
