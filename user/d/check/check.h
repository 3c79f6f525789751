/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The checker: names become symbols, expressions get types, calls are held against their prototypes, formats
 * against their arguments, constants are folded. What it finds wrong goes to unit->diag with DTrace's tag.
 */
#ifndef ERLBPF_D_CHECK_CHECK_H
#define ERLBPF_D_CHECK_CHECK_H

#include <stdbool.h>

#include "d/lang/function.h"
#include "d/lang/unit.h"

struct checker;

/*
 * Fills unit->clauses (actions in order, their fields with kind, type, size and no offset yet), unit->aggs
 * (keys and words), unit->variables, arrays and aggregations. False if anything is wrong.
 */
bool check(struct unit *unit);

/* One clause more, without variables of its own, when all others are checked. */
bool check_helper(struct unit *unit, struct clause *clause);

/* For check() functions of functions.c. */
void check_error(struct checker *checker, const struct node *node, const char *tag, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A constant integer, after folding: false if the node is none. */
bool check_constant(const struct node *node, int64_t *value);

/* The check() functions of rows in functions.c: what a prototype cannot express. */

void check_quantize(struct checker *checker, struct node *call);
void check_lquantize(struct checker *checker, struct node *call);
void check_llquantize(struct checker *checker, struct node *call);
void check_stack(struct checker *checker, struct node *call);
void check_tracemem(struct checker *checker, struct node *call);
void check_inet_ntoa6(struct checker *checker, struct node *call);
void check_alloca(struct checker *checker, struct node *call);
void check_copyin(struct checker *checker, struct node *call);

#endif
