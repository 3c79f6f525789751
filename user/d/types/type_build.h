/* SPDX-License-Identifier: BSD-2-Clause */
/* Making types, for the parser of declarations: names and tags enter the table, members get their places. */
#ifndef ERLBPF_D_TYPES_TYPE_BUILD_H
#define ERLBPF_D_TYPES_TYPE_BUILD_H

#include "d/types/type.h"

#define TYPE_SIZE_MOST (1ULL << 40) /* of one type, in bytes: sums and products of sizes stay far from overflow */

struct arena *type_arena(struct type_table *table);

/* A typedef whose name the table does not have. */
struct type *type_alias(struct type_table *table, const char *name, struct type *base);
/* A typedef, in place of what had the name. */
void type_name_add(struct type_table *table, const char *name, struct type *type);
/* Is the name one that the program did not define itself? */
bool type_name_is_intrinsic(struct type_table *table, const char *name);

/* A new struct, union or enum without members; tag NULL: it has none. */
struct type *type_tag_add(struct type_table *table, enum type_kind kind, const char *tag);
/* Before members: a type that D knows from the start is forgotten, since a program may define it itself. */
void type_renew(struct type_table *table, struct type *type);
void type_enumerator_add(struct type_table *table, struct type *type, const char *name, int64_t value);

struct type *type_function(struct type_table *table, struct type *returns, struct type_key *params);
struct type *type_assoc(struct type_table *table, struct type *of, struct type_key *keys);

/* Members in order, as gcc lays them out on x86-64. */
struct type_layout {
	struct type *type;
	struct type_member *last;
	uint64_t bits; /* where the next member may begin; of a union, how large it is */
};

void type_layout_add(struct type_table *table, struct type_layout *layout, const char *name, struct type *type);
/* bits 0: the next bit-field begins a new unit. */
void type_layout_add_bits(struct type_table *table, struct type_layout *layout, const char *name, struct type *type,
			  unsigned int bits);
/* At a place that somebody else has chosen, in bits. */
void type_layout_add_at(struct type_table *table, struct type_layout *layout, const char *name, struct type *type,
			uint64_t offset, unsigned int bits);
void type_layout_end(struct type_layout *layout);

#endif
