/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The checker: resolves names, types expressions, checks calls against prototypes and formats against arguments, and
 * folds constants. Errors go to unit->diag with DTrace's tags.
 */
#ifndef ERLBPF_D_CHECK_CHECK_H
#define ERLBPF_D_CHECK_CHECK_H

#include <stdbool.h>

#include "d/lang/function.h"
#include "d/lang/unit.h"

struct checker;

/*
 * Fills unit->clauses (actions in order, fields with kind, type and size, but no offset), unit->aggs (keys and words),
 * unit->variables, arrays and aggregations. False on errors.
 */
bool check(struct unit *unit);

/* Adds a clause without variables after all others are checked. */
bool check_helper(struct unit *unit, struct clause *clause);

/* For the check() functions of functions.c. */
void check_error(struct checker *checker, const struct node *node, const char *tag, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A constant integer after folding: false if the node is not constant. */
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
