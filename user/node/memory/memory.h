/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of a node, in total and by use. */
#ifndef ERLBPF_NODE_MEMORY_MEMORY_H
#define ERLBPF_NODE_MEMORY_MEMORY_H

#include <stdint.h>

#include "target/target.h"

/* Resident bytes of the VM, as the kernel counts them; 0: unknown. */
uint64_t node_resident(const struct target *target);

/*
 * Bytes by use, as the VM counts them: of ETS tables, as erlang:memory(ets); of loaded code, without the tables of
 * exports and funs that erlang:memory(code) includes. 0: unknown.
 */
uint64_t node_ets(const struct target *target);
uint64_t node_code(const struct target *target);

/* Bytes of literals, of modules and persistent terms. 0: unknown. */
uint64_t node_literals(const struct target *target);

#endif
