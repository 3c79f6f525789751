/* SPDX-License-Identifier: BSD-2-Clause */
/* Which Erlang function is at an address of code. */
#ifndef ERLBPF_NODE_CODE_H
#define ERLBPF_NODE_CODE_H

#include <stdint.h>

#include "target/target.h"

/*
 * The function whose code holds the address, by the nearest information before it: the terms of module and
 * function, and the arity; and where it begins, if that is wanted. 0; -EFAULT if memory cannot be read, -ENOENT
 * if none is near.
 */
int code_function_at(const struct target *target, uint64_t address, uint64_t mfa[3], uint64_t *start);

#endif
