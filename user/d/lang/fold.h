/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Constants, computed as the generated code computes them: in words of 64 bits, which are extended from their type at
 * each step. The parser asks for what types need, the checker for every expression, the lowering for its own sums.
 */
#ifndef ERLBPF_D_LANG_FOLD_H
#define ERLBPF_D_LANG_FOLD_H

#include "d/lang/ast.h"

struct folded {
	uint64_t value;
	struct type *type; /* an integer's */
};

/* The word that the type makes of another: its low bytes, extended. */
uint64_t fold_extend(uint64_t value, struct type *type);

/* Of two words. False: no operator of two numbers, or a division by zero. */
bool fold_words(enum node_op op, uint64_t a, uint64_t b, bool is_signed, uint64_t *value);

/* Of constants with their types, by C's conversions; `result` may be an operand. False: as above. */
bool fold_unary(struct type_table *types, enum node_op op, const struct folded *a, struct folded *result);
bool fold_binary(struct type_table *types, enum node_op op, const struct folded *a, const struct folded *b,
		 struct folded *result);

/* Of an expression that need not be checked yet; it is no higher than the parser lets it be. False: no constant. */
bool fold_node(struct type_table *types, const struct program *program, const struct node *node, struct folded *result);

#endif
