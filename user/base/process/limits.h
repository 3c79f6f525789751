/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resource limits of this process.
 *
 * File descriptors: a node needs about 64 (a link per class of sites, a program per link), so the usual soft limit of
 * 1,024 is enough for few nodes. The soft limit protects programs that use select(2), which erlbpf does not.
 *
 * Stack: readers of nodes and files have large buffers on the stack, and the D compiler recurses as deep as the program
 * is nested. With a small limit (`ulimit -s`), the kernel would kill erlbpf without a message.
 */
#ifndef ERLBPF_BASE_PROCESS_LIMITS_H
#define ERLBPF_BASE_PROCESS_LIMITS_H

/* Raise the soft limit of descriptors to the hard limit. */
void files_limit_raise(void);

/* Restore the first soft limit, for commands that erlbpf runs: after fork(), or around a call that forks. */
void files_limit_restore(void);

/*
 * Raise the limit of the stack of this process, and of threads that it starts later, to what erlbpf needs. Call it
 * before the first fork. Commands that erlbpf runs inherit the limit. 0 or -errno, reported with pr_err().
 */
int stack_limit_raise(void);

#endif
