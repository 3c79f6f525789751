/* SPDX-License-Identifier: BSD-2-Clause */
/* Which Erlang function is at an address of code, and whose code a node has. */
#ifndef ERLBPF_NODE_CODE_CODE_H
#define ERLBPF_NODE_CODE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/target.h"

/*
 * The function whose code holds the address, by the nearest information before it: the terms of module and
 * function, and the arity; and where it begins, if that is wanted. 0; -EFAULT if memory cannot be read, -ENOENT
 * if none is near.
 */
int code_function_at(const struct target *target, uint64_t address, uint64_t mfa[3], uint64_t *start);

/*
 * Is this, under the JIT of x86-64, the first instruction of the function: the one that each call executes once, be it
 * from outside, local or a tail call? Module and name are atoms.
 */
bool code_is_entry(const struct target *target, uint64_t entry, uint32_t module, uint32_t name, uint8_t arity);

/* Is the function none of a module, but code of the JIT's own, such as where processes begin and end? By its name. */
bool code_is_of_jit(const char *function);

/* Its module and its name are atoms of the node. */
struct code_function {
	uint64_t start;
	uint32_t module, name;
	uint8_t arity;
	bool is_nif; /* its code only calls a function of a library */
};

/* A module as it was loaded: a BeamCodeHeader of beam_code.h, which its code follows. */
struct code_module {
	uint64_t header;
	uint64_t start; /* of what is before the first function */
	uint64_t end;	/* of the last one, or a little behind it; 0: not known */
	uint32_t function_count;
};

#define CODE_INFO_BYTES 40 /* of what is before each function's code, and counted as its */

struct code_list {
	struct code_function *functions; /* by where they start */
	size_t count;
	struct code_module *modules; /* also by where they start; none where the release is not known */
	size_t module_count;
};

/*
 * All functions of all modules that are loaded, also of code that is old or was purged, under the JIT; found in its
 * memory, which is read for it: of a large node some 100 MB. 0; -ENOENT if the VM has no JIT, -ESRCH if it ended
 * meanwhile, -E2BIG or another -errno.
 */
int code_list_read(const struct target *target, struct code_list *list);

/*
 * The function whose code holds the address: the last that starts before it, if that is near and its module has not
 * ended before it. NULL: there is none.
 */
const struct code_function *code_list_at(const struct code_list *list, uint64_t address);

/* Is the address behind all functions of the module whose last one starts there? Then it is in no function's code. */
bool code_list_is_behind(const struct code_list *list, uint64_t function_start, uint64_t address);
void code_list_free(struct code_list *list);

#endif
