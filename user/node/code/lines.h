/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of Erlang code, as stack traces of the VM have them: a line is known where a function calls another, or where
 * it may fail. Read from the tables of all modules at once, so that they stay known when a module is gone.
 */
#ifndef ERLBPF_NODE_CODE_LINES_H
#define ERLBPF_NODE_CODE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/code/code.h"
#include "target/target.h"

struct line_list;

/* Of the modules in the list. NULL and errno; ENOENT if this release's tables are not known. */
struct line_list *line_list_read(const struct target *target, const struct code_list *code);
void line_list_free(struct line_list *list); /* NULL-safe */

struct code_line {
	unsigned int line;
	const char *file; /* the list's own, hostile; NULL: not known, or is_module */
	bool is_module;	  /* the file is the module with ".erl" behind it */
};

/* The line of an address in a function. False: none is known. */
bool line_list_at(const struct line_list *list, const struct code_function *function, uint64_t address,
		  struct code_line *line);

#endif
