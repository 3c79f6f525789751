/* SPDX-License-Identifier: BSD-2-Clause */
/* The compiler's front: texts of D in, a checked unit out. What is recorded stands there; code is build.h's. */
#ifndef ERLBPF_D_COMPILE_H
#define ERLBPF_D_COMPILE_H

#include <stdbool.h>

#include "d/lang/function.h"
#include "d/lang/unit.h"
#include "d/syntax/parse.h"

/* NULL and errno. Options may change until unit_check(); without any they are the defaults. */
struct unit *unit_new(const struct unit_options *options);
void unit_free(struct unit *unit);

/* Add a program: -n, -s... False if it has errors: they are in unit->diag. */
bool unit_add(struct unit *unit, const struct parse_input *input);

/* Behind unit_check(): a clause that nobody wrote, without variables of its own. */
bool unit_add_helper(struct unit *unit, const char *text);

/* When all are added and the options are known: resolve and check. The same. */
bool unit_check(struct unit *unit);

/* functions.c: every function of the language, one row each. */

extern const struct function_table d_functions;

#endif
