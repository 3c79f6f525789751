/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Integers are words of 64 bits, as in DTrace: an operator takes and returns whole words, whatever its type. The type
 * determines signedness of division, right shift and comparison. A word is truncated to its type only where it is
 * stored, recorded, used as a key, or cast to a smaller type. This rule holds for generated code (user/d/lower/) and
 * for constants, which are computed here: for types in the parser, for every expression in the checker, and for sums in
 * the lowering.
 */
#ifndef ERLBPF_D_LANG_FOLD_H
#define ERLBPF_D_LANG_FOLD_H

#include "d/lang/ast.h"

struct folded {
	uint64_t value;
	struct type *type; /* an integer type */
};

/* Converts a word to the type: its low bytes, extended. */
uint64_t fold_extend(uint64_t value, struct type *type);

/* True if a cast truncates. Not if the new type can hold every value of the old one. */
bool fold_is_cut(struct type *from, struct type *to);
void fold_cast(struct folded *folded, struct type *to);

/* The type of a literal: by its suffix, or the first of int, long and unsigned long that can hold it. */
struct type *fold_number_type(struct type_table *types, const struct node *number);

/* Computes with two words. False: not an arithmetic operator, or division by zero. */
bool fold_words(enum node_op op, uint64_t a, uint64_t b, bool is_signed, uint64_t *value);

/* Computes with typed constants; `result` may be an operand. False: as above. */
bool fold_unary(struct type_table *types, enum node_op op, const struct folded *a, struct folded *result);
bool fold_binary(struct type_table *types, enum node_op op, const struct folded *a, const struct folded *b,
		 struct folded *result);

/* Evaluates an expression that may be unchecked; the parser limits its height. False: not constant. */
bool fold_node(struct type_table *types, const struct program *program, const struct node *node, struct folded *result);

#endif
