/*
 * @language: functions for locks of the kernel
 * @dtrace: `mutex_owned`, `rw_read_held` and the like look into a lock of the kernel.
 * @erlbpf: They are errors, because the layout of Solaris' locks is not that of Linux'.
 */
/* @options: -q */

BEGIN { trace(mutex_owned(0)); exit(0); }
