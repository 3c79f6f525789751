/* SPDX-License-Identifier: BSD-2-Clause */
/* Construction of types, for the declaration parser: adds names and tags to the table, and places members. */
#ifndef ERLBPF_D_TYPES_TYPE_BUILD_H
#define ERLBPF_D_TYPES_TYPE_BUILD_H

#include "d/types/type.h"

#define TYPE_SIZE_MOST (1ULL << 40) /* of one type, in bytes: avoids overflow of sums and products */

struct arena *type_arena(struct type_table *table);

/* A typedef with a new name. */
struct type *type_alias(struct type_table *table, const char *name, struct type *base);
/* A typedef that replaces the name's meaning. */
void type_name_add(struct type_table *table, const char *name, struct type *type);
/* True if the program did not define the name itself. */
bool type_name_is_intrinsic(struct type_table *table, const char *name);

/* A new struct, union or enum without members; tag NULL: anonymous. */
struct type *type_tag_add(struct type_table *table, enum type_kind kind, const char *tag);
/* Called before members are added: forgets a predefined type, which a program can redefine. */
void type_renew(struct type_table *table, struct type *type);
void type_enumerator_add(struct type_table *table, struct type *type, const char *name, int64_t value);

struct type *type_function(struct type_table *table, struct type *returns, struct type_key *params);
struct type *type_assoc(struct type_table *table, struct type *of, struct type_key *keys);

/* Members in order, laid out as gcc does on x86-64. */
struct type_layout {
	struct type *type;
	struct type_member *last;
	uint64_t bits; /* offset of the next member; size of a union */
};

void type_layout_add(struct type_table *table, struct type_layout *layout, const char *name, struct type *type);
/* bits 0: the next bit-field begins a new unit. */
void type_layout_add_bits(struct type_table *table, struct type_layout *layout, const char *name, struct type *type,
			  unsigned int bits);
/* At a given offset, in bits. */
void type_layout_add_at(struct type_table *table, struct type_layout *layout, const char *name, struct type *type,
			uint64_t offset, unsigned int bits);
void type_layout_end(struct type_layout *layout);

#endif
