/* SPDX-License-Identifier: BSD-2-Clause */
/* A VM without JIT: where it runs Erlang code, and where it has the stack of the process that it runs. */
#ifndef ERLBPF_ERLANG_EMULATOR_H
#define ERLBPF_ERLANG_EMULATOR_H

#include "profile.h"
#include "target/target.h"

/* Sets `loop` and `stack_register` of the node. 0; -ENOENT: process_main() is not found; or another -errno. */
int emulator_read(const struct target *target, struct sample_node *node);

/*
 * The register into which a function of x86-64 loads what is at this offset of a structure, by its number in
 * instructions; -ENOENT: none is in more than half of such loads.
 */
int emulator_register(const unsigned char *code, size_t size, uint32_t offset);

#endif
