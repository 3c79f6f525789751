/*
 * @probes: the provider `plockstat`
 * @dtrace: It has probes of the locks of a process.
 * @erlbpf: It does not exist: locks of Linux' C library are functions,
 *   `pid$target:libc.so:pthread_mutex_lock:entry`.
 */
/* @options: -q -c true */

plockstat$target:::mutex-block { exit(0); }
