/* SPDX-License-Identifier: BSD-2-Clause */
/* The current code of a module in a node, and the entry addresses of its functions, from the VM's tables. */
#ifndef ERLBPF_NODE_CODE_MODULES_H
#define ERLBPF_NODE_CODE_MODULES_H

#include <stdint.h>

#include "target/target.h"

struct modules;

/* NULL and errno: ENOENT if the tables are not found, or the VM has no JIT. The target must outlive it. */
struct modules *modules_new(const struct target *target);
void modules_free(struct modules *modules);

/*
 * The header (BeamCodeHeader) of the current code of a module, given as an atom. 0; -ENOENT if none is loaded, -ESTALE
 * if there are several and the active one is unknown, or -EFAULT.
 */
int modules_current(struct modules *modules, uint32_t module, uint64_t *header);

struct modules_function {
	uint32_t module, name; /* atoms */
	uint8_t arity;
};

/*
 * The address where all calls enter the function in the code with that header; the code there is checked. 0, or
 * -ENOENT: no such function, or no Erlang code.
 */
int modules_entry(const struct modules *modules, uint64_t header, const struct modules_function *function,
		  uint64_t *entry);

#endif
