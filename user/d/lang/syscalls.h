/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of system call arguments, see syscall_types.def. */
#ifndef ERLBPF_D_LANG_SYSCALLS_H
#define ERLBPF_D_LANG_SYSCALLS_H

/* The argument types, separated by ", "; "" if it has none; NULL: unknown call. */
const char *syscall_types(const char *name);

/* The number of arguments. -1: unknown call. */
int syscall_arguments(const char *name);

#endif
