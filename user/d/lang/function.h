/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of the language: subroutines, which return a value; actions, which record or do something; and aggregating
 * functions. Each has a row in functions.c. The prototype describes its arguments; a subroutine is computed by a
 * function of bpf/d/ or by lower(); the kind of an action determines what it records.
 */
#ifndef ERLBPF_D_LANG_FUNCTION_H
#define ERLBPF_D_LANG_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

#include "d/lang/agg.h"
#include "d/lang/ast.h"
#include "d/lang/ir.h"
#include "d/lang/unit.h"

struct checker;
struct lower;

enum function_kind { FUNCTION_SUBROUTINE, FUNCTION_ACTION, FUNCTION_AGGREGATING };

struct d_function {
	const char *name;
	enum function_kind kind;
	/*
	 * Result and parameters, as "string(string, int, [int])". Words: void string pointer (to any type; kernel or
	 * alloca memory) user (an address in the traced process) any (recordable) agg format (a constant string) stack
	 * symaddr usymaddr term, or a C type; "..." accepts more; [] is optional.
	 */
	const char *prototype;
	/*
	 * Name of the BPF function, see bpf/d.h; "_n" is appended if an optional argument is given. NULL: lower(), or
	 * an action that only records. An action with a library function records nothing.
	 */
	const char *library;
	/* The variant for a string that is only recorded: see bpf/d/record.bpf.h. NULL: none. */
	const char *in_record;
	enum action_kind action; /* of an action */
	enum agg_kind agg;	 /* of an aggregating function */
	const char *refused;	 /* reason why a function of DTrace is not supported; NULL: supported */
	bool is_destructive;
	bool writes_user;  /* writes to process memory, which some kernels refuse */
	bool reads_kernel; /* its function in bpf/d/ reads kernel structs */
	/* Checks beyond the prototype, which is checked first. NULL: none. */
	void (*check)(struct checker *checker, struct node *call);
	/*
	 * Emits the code and returns the place of the value. NULL: `library` or the action's fields are used. See
	 * lower.h.
	 */
	struct place (*lower)(struct lower *lower, struct node *call);
	const char *doc;     /* one line for docs/d-language.md; NULL: internal to the prelude */
	const char *example; /* a program that runs as a test */
	const char *prints;  /* its output with -q, without dtrace's empty last line; NULL: varies */
};

struct function_table {
	const struct d_function *rows;
	size_t count;
};

/* The function with that name, NULL: none. Without a table there are no functions. */
const struct d_function *function_find(const struct function_table *table, const char *name);

#endif
