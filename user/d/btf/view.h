/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BTF, the kernel's format for types, in memory that the caller owns: that of the library of D functions, and that of
 * the running kernel.
 */
#ifndef ERLBPF_D_BTF_VIEW_H
#define ERLBPF_D_BTF_VIEW_H

#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct btf_index;

struct btf_view {
	const char *data;
	size_t size;
	const struct btf_header *header;
	const uint32_t *offsets; /* position of each type in data, by id; id 0 is void */
	uint32_t count;
	struct btf_index *index; /* made at the first lookup */
};

/* False: invalid BTF, or unknown kinds. */
bool btf_view_open(struct btf_view *view, struct arena *arena, const void *data, size_t size);

const struct btf_type *btf_view_type(const struct btf_view *view, uint32_t id); /* NULL: void, or no such type */
const char *btf_view_name(const struct btf_view *view, uint32_t offset);	/* "": no such string */

/* The id of the struct, union, enum or typedef with that name; 0: none. */
uint32_t btf_view_find(const struct btf_view *view, uint32_t kind, const char *name);

/* The type without typedef, const and the like. */
uint32_t btf_view_skip(const struct btf_view *view, uint32_t id);
/* The same, but keeps typedefs. */
uint32_t btf_view_unqualified(const struct btf_view *view, uint32_t id);

/* The member with that name, also in anonymous structs; its offset is in bits. NULL: none. */
const struct btf_member *btf_view_member(const struct btf_view *view, uint32_t id, const char *name, uint32_t *offset);

/* In bits, without the size of a bit-field, which the kernel stores in the same word. */
uint32_t btf_member_offset(const struct btf_type *of, const struct btf_member *member);
uint32_t btf_member_bits(const struct btf_type *of, const struct btf_member *member); /* 0: not a bit-field */

static inline const struct btf_member *btf_view_members(const struct btf_type *type)
{
	return (const struct btf_member *)(type + 1);
}

#endif
