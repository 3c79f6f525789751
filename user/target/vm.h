/* SPDX-License-Identifier: BSD-2-Clause */
/* The executables behind the targets: struct vm of target.h, one per file. */
#ifndef ERLBPF_TARGET_VM_H
#define ERLBPF_TARGET_VM_H

#include "target/target.h"

/* The executable of a process; give it back with vm_put(). 0, -ESRCH, -EACCES, -ENOEXEC (*why), -ETIMEDOUT, or
 * -EAGAIN if it is being read, in a hurry (reader.h). *why lives until the next call. */
int vm_get(pid_t pid, struct vm **vm, const char **why);
void vm_put(struct vm *vm);

#endif
