/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The front end of the compiler: D text in, a checked unit out. The unit describes what is recorded; build.h makes the
 * code.
 */
#ifndef ERLBPF_D_COMPILE_H
#define ERLBPF_D_COMPILE_H

#include <stdbool.h>

#include "d/lang/function.h"
#include "d/lang/unit.h"
#include "d/syntax/parse.h"

/* NULL and errno. options NULL: defaults. Options can change until unit_check(). */
struct unit *unit_new(const struct unit_options *options);
void unit_free(struct unit *unit);

/* Adds a program: -n, -s... False: the errors are in unit->diag. */
bool unit_add(struct unit *unit, const struct parse_input *input);

/* Adds an internal clause, without variables, after unit_check(). */
bool unit_add_helper(struct unit *unit, const char *text);

/* Resolves names and checks, when all programs are added and options are final. False: see unit->diag. */
bool unit_check(struct unit *unit);

/* functions.c: every function of the language, one row each. */

extern const struct function_table d_functions;

#endif
