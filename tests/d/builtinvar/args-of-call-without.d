/* Also none. */
/* @options: -q */

syscall::getpid:entry { trace(args[0]); }
