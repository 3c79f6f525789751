/* SPDX-License-Identifier: BSD-2-Clause */
/* A D program as one line of text, for tests: the tree in prefix form, or its errors. */
#ifndef ERLBPF_TESTS_D_TREE_H
#define ERLBPF_TESTS_D_TREE_H

#include "base/arena.h"
#include "d/lang/ast.h"
#include "d/lang/diag.h"
#include "d/syntax/parse.h"

struct tree {
	struct arena *arena;
	struct type_table *types;
	struct diag diag;
	struct parse_input input;
	struct program program;
	bool is_ok;
};

/* Parsed, with the macros $0 "script", $1 "17", $2 "a b", $3 "name", $4 "-5", $target 42. */
struct tree *tree_new(const char *text);
struct tree *tree_new_input(struct parse_input input);
void tree_free(struct tree *tree);

const char *tree_node(struct tree *tree, const struct node *node);
const char *tree_clauses(struct tree *tree);
const char *tree_declarations(struct tree *tree);
/* "D_SYNTAX:3 D_INT_OFLOW:7" */
const char *tree_errors(struct tree *tree);

#endif
