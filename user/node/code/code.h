/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the Erlang function at an address, and all code of a node. */
#ifndef ERLBPF_NODE_CODE_CODE_H
#define ERLBPF_NODE_CODE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/target.h"

/*
 * The function that contains the address, by the nearest ErtsCodeInfo before it: the terms of module and function, and
 * the arity; and its start, if wanted. 0; -EFAULT if memory is unreadable, -ENOENT if none is near.
 */
int code_function_at(const struct target *target, uint64_t address, uint64_t mfa[3], uint64_t *start);

/*
 * Is it, under the JIT of x86-64, the first instruction of the function, which each call executes once, whether
 * external, local or a tail call? Module and name are atoms.
 */
bool code_is_entry(const struct target *target, uint64_t entry, uint32_t module, uint32_t name, uint8_t arity);

/* Does the name belong to the JIT's own code, such as the start and end of processes, not to a module? */
bool code_is_of_jit(const char *function);

/* Its module and name are atoms of the node. */
struct code_function {
	uint64_t start;
	uint32_t module, name;
	uint8_t arity;
	bool is_nif; /* its code only calls a library function */
};

/* A loaded module: a BeamCodeHeader in beam_code.h, followed by its code. */
struct code_module {
	uint64_t header;
	uint64_t start; /* of the code before the first function */
	uint64_t end;	/* of the last function, or slightly behind it; 0: unknown */
	uint32_t function_count;
};

#define CODE_INFO_BYTES 40 /* before each function's code, counted as part of it */

struct code_list {
	struct code_function *functions; /* sorted by start */
	size_t count;
	struct code_module *modules; /* sorted by start; empty if the release is unknown */
	size_t module_count;
};

/*
 * All functions of all loaded modules under the JIT, including old and purged code, found by reading the JIT's memory:
 * about 100 MB on a large node. 0; -ENOENT if the VM has no JIT, -ESRCH if it ended, -E2BIG or another -errno.
 */
int code_list_read(const struct target *target, struct code_list *list);

/*
 * The function at the address: the last that starts before it, if it is near and its module does not end before the
 * address; or NULL.
 */
const struct code_function *code_list_at(const struct code_list *list, uint64_t address);

/* Is the address behind the last function of its module, which starts at `function`? Then it is in no function. */
bool code_list_is_behind(const struct code_list *list, uint64_t function_start, uint64_t address);
void code_list_free(struct code_list *list);

#endif
