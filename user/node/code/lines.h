/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of Erlang code, as in the VM's stack traces: known where a function calls another or may fail. All modules'
 * tables are read at once, so lines stay known after a module is unloaded.
 */
#ifndef ERLBPF_NODE_CODE_LINES_H
#define ERLBPF_NODE_CODE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/code/code.h"
#include "target/target.h"

struct line_list;

/* The lines of the modules in the list. NULL and errno; ENOENT if the release's tables are unknown. */
struct line_list *line_list_read(const struct target *target, const struct code_list *code);
void line_list_free(struct line_list *list); /* NULL-safe */

struct code_line {
	unsigned int line;
	const char *file; /* owned by the list, hostile; NULL: unknown, or is_module */
	bool is_module;	  /* the file is the module's name and ".erl" */
};

/* The line at an address in a function. False: unknown. */
bool line_list_at(const struct line_list *list, const struct code_function *function, uint64_t address,
		  struct code_line *line);

#endif
