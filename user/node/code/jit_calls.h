/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which functions of the VM its JIT calls: a look at a node that does not depend on how the functions were found. The
 * first code that the JIT makes is that of its own fragments, which call the VM's most important functions.
 */
#ifndef ERLBPF_NODE_CODE_JIT_CALLS_H
#define ERLBPF_NODE_CODE_JIT_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"
#include "target/target.h"

/*
 * The addresses that code of `size` bytes, which runs at `address`, calls or jumps to or holds, sorted, each once; the
 * caller owns them. Where instructions may begin at any byte, each is taken for a beginning, so there are others among
 * them. -ENOMEM.
 */
int jit_calls_find(enum arch arch, const unsigned char *code, size_t size, uint64_t address, uint64_t **calls,
		   size_t *count);

/*
 * Why functions that were found by comparison cannot be what they are taken for: the JIT does not call one that it
 * always calls. NULL: there is no doubt; a node without JIT, or whose code cannot be read, is not doubted.
 */
const char *jit_calls_mismatch(const struct target *target);

#endif
