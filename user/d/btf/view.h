/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BTF, the kernel's format for types, as bytes that somebody else keeps: that of the library of D functions, and that
 * of the running kernel.
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
	const uint32_t *offsets; /* of each type in data, by its id; id 0 is void */
	uint32_t count;
	struct btf_index *index; /* made when something is looked for */
};

/* False: it is no BTF, or of kinds that are not known. */
bool btf_view_open(struct btf_view *view, struct arena *arena, const void *data, size_t size);

const struct btf_type *btf_view_type(const struct btf_view *view, uint32_t id); /* NULL: void, or there is none */
const char *btf_view_name(const struct btf_view *view, uint32_t offset);	/* "": there is none */

/* The id of the struct, union, enum or typedef of that name; 0: there is none. */
uint32_t btf_view_find(const struct btf_view *view, uint32_t kind, const char *name);

/* What a type is without typedef, const and the like. */
uint32_t btf_view_skip(const struct btf_view *view, uint32_t id);
/* The same, but a typedef is what it is. */
uint32_t btf_view_unqualified(const struct btf_view *view, uint32_t id);

/* The member of that name, also within anonymous ones; offset in bits from the struct. NULL. */
const struct btf_member *btf_view_member(const struct btf_view *view, uint32_t id, const char *name, uint32_t *offset);

/* In bits; without the size of a bit-field, which the kernel puts into the same word. */
uint32_t btf_member_offset(const struct btf_type *of, const struct btf_member *member);
uint32_t btf_member_bits(const struct btf_type *of, const struct btf_member *member); /* 0: it is no bit-field */

static inline const struct btf_member *btf_view_members(const struct btf_type *type)
{
	return (const struct btf_member *)(type + 1);
}

#endif
