/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every function of the language: subroutines, which have a value; actions, which record or do something; and
 * aggregating functions. One row each in functions.c, plus its code: what it takes is in its prototype, what
 * computes a subroutine is a function of bpf/d/ or a lower(), what an action records is the rule of its kind.
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
	 * "string(string, int, [int])": what it gives, then what it takes. Words: void string pointer (to anything; of
	 * this kernel or of alloca) user (an address in the traced process) any (what can be recorded) agg format (a
	 * constant string) stack symaddr usymaddr term, or a type of C; "..." takes more; [] may be left out.
	 */
	const char *prototype;
	/*
	 * Name of the BPF function, see bpf/d.h; with its optional argument given, that name and "_n". NULL: lower(),
	 * or an action that only records. Actions that have one record nothing.
	 */
	const char *library;
	/* The same for a string that is recorded and nothing else: see bpf/d/record.bpf.h. NULL: there is none. */
	const char *in_record;
	enum action_kind action; /* of an action */
	enum agg_kind agg;	 /* of an aggregating function */
	const char *refused;	 /* why no program may call it, although DTrace has it; NULL: it may */
	bool is_destructive;
	bool writes_user;  /* it writes to the memory of processes, which not every kernel allows */
	bool reads_kernel; /* its function of bpf/d/ reads the kernel's structs */
	/* What the prototype cannot say; call->args are checked against the prototype before. NULL: nothing more. */
	void (*check)(struct checker *checker, struct node *call);
	/* Emit it; returns where the value is. NULL: by `library`, or by the action's fields. See lower.h. */
	struct place (*lower)(struct lower *lower, struct node *call);
	const char *doc;     /* one line, for docs/d-language.md; NULL: it is for the prelude alone */
	const char *example; /* a program, run as a test */
	const char *prints;  /* by it, with -q, before dtrace's last empty line; NULL: that depends */
};

struct function_table {
	const struct d_function *rows;
	size_t count;
};

/* The function of that name, NULL if there is none. Without a table there are no functions. */
const struct d_function *function_find(const struct function_table *table, const char *name);

#endif
