/*
 * @probes: the providers `vminfo`, `sysinfo`, `mib`, `fpuinfo` and `sdt`
 * @dtrace: They count events of the kernel of Solaris.
 * @erlbpf: They do not exist: Linux does not have these events under these names; `rawtp` has its own.
 */
/* @options: -q */

vminfo:::pgfault, sysinfo:::pswitch, mib:::tcpOutSegs, fpuinfo:::fpu_sim_fadd, sdt:::interrupt-start { exit(0); }
