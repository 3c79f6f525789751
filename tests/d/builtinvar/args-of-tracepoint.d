/* A tracepoint has as many arguments as the kernel gives it, eight at the most. */
/* @options: -q */

rawtp:sched::sched_process_exec { trace(args[8]); }
