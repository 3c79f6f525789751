/*
 * @language: symbols of the kernel by name
 * @dtrace: They can be read: `` `jiffies ``.
 * @erlbpf: They are errors, because the kernel has no types of its variables for BPF programs.
 */
/* @options: -q */

BEGIN { trace(`jiffies); exit(0); }
