/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stack: what we read of nodes and files at a time lies there, and the compiler of D takes as much as a program is
 * deep. Where the limit (`ulimit -s`) is less, the kernel would end us without a word.
 */
#ifndef ERLBPF_BASE_STACK_LIMIT_H
#define ERLBPF_BASE_STACK_LIMIT_H

/*
 * Raise the limit of this process, and of threads that it starts later, to what is needed. To be called before any
 * other process is forked. Commands that we run inherit it. 0 or -errno, explained.
 */
int stack_limit_raise(void);

#endif
