/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which VM functions the JIT calls: a check of function addresses that does not depend on how they were found. The
 * first code that the JIT generates are its shared fragments, which call the most important functions.
 */
#ifndef ERLBPF_NODE_CODE_JIT_CALLS_H
#define ERLBPF_NODE_CODE_JIT_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"
#include "target/target.h"

/*
 * The addresses that code of `size` bytes at `address` calls, jumps to or contains, sorted and distinct; the caller
 * frees them. On x86, every byte is taken as a possible start of an instruction, so there are false ones. 0 or -ENOMEM.
 */
int jit_calls_find(enum arch arch, const unsigned char *code, size_t size, uint64_t address, uint64_t **calls,
		   size_t *count);

/*
 * Why functions found by comparison cannot be right: the JIT does not call one that it always calls. NULL: no
 * contradiction, or no JIT, or unreadable code.
 */
const char *jit_calls_mismatch(const struct target *target);

#endif
