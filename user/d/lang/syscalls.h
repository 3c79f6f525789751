/* SPDX-License-Identifier: BSD-2-Clause */
/* What system calls take, see syscall_types.def. */
#ifndef ERLBPF_D_LANG_SYSCALLS_H
#define ERLBPF_D_LANG_SYSCALLS_H

/* The types of its arguments with ", " between them, "" if it takes none; NULL: the call is not known. */
const char *syscall_types(const char *name);

/* How many those are. -1: the call is not known. */
int syscall_arguments(const char *name);

#endif
