/* SPDX-License-Identifier: BSD-2-Clause */
/* -x tree: what the compiler reads in a program, in the form that DTrace prints it. */
#ifndef ERLBPF_D_LANG_TREE_H
#define ERLBPF_D_LANG_TREE_H

#include <stdio.h>

#include "d/lang/ast.h"

/* Before they are checked, few nodes have a type. */
void tree_print(FILE *to, struct type_table *types, const struct clause *clauses);

#endif
