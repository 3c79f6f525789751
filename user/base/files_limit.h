/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * File descriptors: each node takes some 64 of them (a link per class of sites, a program per link), and the usual soft
 * limit of 1,024 is enough for few. The hard limit is the one that an administrator means; the soft one protects
 * programs that use select(2), which we do not.
 */
#ifndef ERLBPF_BASE_FILES_LIMIT_H
#define ERLBPF_BASE_FILES_LIMIT_H

/* Raise the soft limit of this process to its hard limit. */
void files_limit_raise(void);

/* Back to what it was at the start, for commands that we run: after fork(), or around a call that forks. */
void files_limit_restore(void);

#endif
