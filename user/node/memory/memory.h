/* SPDX-License-Identifier: BSD-2-Clause */
/* How much memory a node has, and what for. */
#ifndef ERLBPF_NODE_MEMORY_MEMORY_H
#define ERLBPF_NODE_MEMORY_MEMORY_H

#include <stdint.h>

#include "target/target.h"

/* Bytes that the VM has in memory, as the kernel counts them; 0: it cannot be told. */
uint64_t node_resident(const struct target *target);

/*
 * Bytes by what they are for, as the VM counts them: of ETS tables as erlang:memory(ets) does, and of the code of
 * modules that are loaded, without the tables of exports and funs that erlang:memory(code) has too. 0: it cannot be
 * told.
 */
uint64_t node_ets(const struct target *target);
uint64_t node_code(const struct target *target);

/* Bytes of literals: of modules, and of persistent terms. 0: it cannot be told. */
uint64_t node_literals(const struct target *target);

#endif
