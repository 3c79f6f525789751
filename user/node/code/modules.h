/* SPDX-License-Identifier: BSD-2-Clause */
/* Which code of a module a node runs now, and where the functions in it are entered: from the VM's own tables. */
#ifndef ERLBPF_NODE_CODE_MODULES_H
#define ERLBPF_NODE_CODE_MODULES_H

#include <stdint.h>

#include "target/target.h"

struct modules;

/* NULL, errno: -ENOENT if the tables are not found, or the VM has no JIT. The target must outlive it. */
struct modules *modules_new(const struct target *target);
void modules_free(struct modules *modules);

/*
 * The header (BeamCodeHeader) of the code of a module, an atom, that is called now. 0; -ENOENT if none is loaded,
 * -ESTALE if several are there and it cannot be known which it is, or -EFAULT.
 */
int modules_current(struct modules *modules, uint32_t module, uint64_t *header);

struct modules_function {
	uint32_t module, name; /* atoms */
	uint8_t arity;
};

/*
 * Where all calls of the function enter the code with that header, checked by what is there. 0, or -ENOENT: it has no
 * such function, or this is no Erlang code.
 */
int modules_entry(const struct modules *modules, uint64_t header, const struct modules_function *function,
		  uint64_t *entry);

#endif
