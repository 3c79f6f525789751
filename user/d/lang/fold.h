/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Integers are words of 64 bits, as in DTrace: an operator takes whole words and gives one, whatever its type is. The
 * type says whether it divides, shifts right and compares with a sign. A word is cut to its type only where it is
 * stored, recorded, used as a key, or cast to a type that holds less.
 *
 * This is the rule for generated code (user/d/lower/) and for constants, which are computed here: the parser asks for
 * what types need, the checker for every expression, the lowering for its own sums.
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

/* Does a cast cut the word? Not if the new type holds all that the old one holds, even if the word is larger. */
bool fold_is_cut(struct type *from, struct type *to);
void fold_cast(struct folded *folded, struct type *to);

/* Of a number in the program: what its suffix says, else the first of int, long and unsigned long that holds it. */
struct type *fold_number_type(struct type_table *types, const struct node *number);

/* Of two words. False: no operator of two numbers, or a division by zero. */
bool fold_words(enum node_op op, uint64_t a, uint64_t b, bool is_signed, uint64_t *value);

/* Of constants with their types; `result` may be an operand. False: as above. */
bool fold_unary(struct type_table *types, enum node_op op, const struct folded *a, struct folded *result);
bool fold_binary(struct type_table *types, enum node_op op, const struct folded *a, const struct folded *b,
		 struct folded *result);

/* Of an expression that need not be checked yet; it is no higher than the parser lets it be. False: no constant. */
bool fold_node(struct type_table *types, const struct program *program, const struct node *node, struct folded *result);

#endif
