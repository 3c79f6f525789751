// SPDX-License-Identifier: BSD-2-Clause
#include "d/btf/view.h"

#include <string.h>

#include "base/arena.h"
#include "base/names.h"

#define KIND_ENUM64 19 /* BTF_KIND_ENUM64, missing in old headers */
#define SKIP_MOST 32   /* nested typedefs */
#define DEPTH_MOST 16  /* nested anonymous structs */

struct btf_index {
	struct arena *arena;
	struct names names; /* ids of structs and unions */
	bool is_made;
};

/* Size of a type with its members in BTF. 0: unknown kind. */
static size_t type_bytes(const struct btf_type *type)
{
	size_t count = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG: return sizeof(*type) + 4;
	case BTF_KIND_ARRAY: return sizeof(*type) + sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION: return sizeof(*type) + count * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO: return sizeof(*type) + count * 8;
	case BTF_KIND_DATASEC:
	case KIND_ENUM64: return sizeof(*type) + count * 12;
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG: return sizeof(*type);
	default: return 0;
	}
}

/* The number of types, including void; `offsets`, if not NULL, gets their positions. 0: invalid BTF. */
static uint32_t list_types(const struct btf_view *view, uint32_t *offsets)
{
	const char *at = view->data + view->header->hdr_len + view->header->type_off;
	const char *end = at + view->header->type_len;
	uint32_t count = 1;

	while (at < end) {
		size_t step = at + sizeof(struct btf_type) <= end ? type_bytes((const struct btf_type *)at) : 0;

		if (!step || step > (size_t)(end - at))
			return 0;
		if (offsets)
			offsets[count] = (uint32_t)(at - view->data);
		count++;
		at += step;
	}
	return count;
}

bool btf_view_open(struct btf_view *view, struct arena *arena, const void *data, size_t size)
{
	const struct btf_header *header = data;
	uint32_t *offsets;

	*view = (struct btf_view){ .data = data, .size = size, .header = header };
	if (size < sizeof(*header) || header->magic != BTF_MAGIC || header->hdr_len > size ||
	    (size_t)header->type_off + header->type_len > size - header->hdr_len ||
	    (size_t)header->str_off + header->str_len > size - header->hdr_len)
		return false;
	view->count = list_types(view, NULL);
	if (!view->count)
		return false;
	offsets = arena_alloc(arena, view->count * sizeof(*offsets));
	list_types(view, offsets);
	view->offsets = offsets;
	view->index = arena_alloc(arena, sizeof(*view->index));
	view->index->arena = arena;
	return true;
}

const struct btf_type *btf_view_type(const struct btf_view *view, uint32_t id)
{
	return id && id < view->count ? (const struct btf_type *)(view->data + view->offsets[id]) : NULL;
}

const char *btf_view_name(const struct btf_view *view, uint32_t offset)
{
	return offset < view->header->str_len ? view->data + view->header->hdr_len + view->header->str_off + offset
					      : "";
}

/* Of types with the same name, the first counts. */
static void index_make(const struct btf_view *view, struct btf_index *index)
{
	for (uint32_t id = 1; id < view->count; id++) {
		const struct btf_type *type = btf_view_type(view, id);
		const char *name = btf_view_name(view, type->name_off);
		uint32_t kind = BTF_INFO_KIND(type->info);

		if ((kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION || kind == BTF_KIND_ENUM ||
		     kind == BTF_KIND_TYPEDEF) &&
		    *name && !names_find(&index->names, kind, name))
			names_put(&index->names, index->arena, kind, name, (void *)(uintptr_t)id);
	}
	index->is_made = true;
}

uint32_t btf_view_find(const struct btf_view *view, uint32_t kind, const char *name)
{
	if (!view->index->is_made)
		index_make(view, view->index);
	return (uint32_t)(uintptr_t)names_find(&view->index->names, kind, name);
}

static uint32_t skip(const struct btf_view *view, uint32_t id, bool skips_typedefs)
{
	const struct btf_type *type = btf_view_type(view, id);

	for (int i = 0; type && i < SKIP_MOST; i++, type = btf_view_type(view, id)) {
		switch (BTF_INFO_KIND(type->info)) {
		case BTF_KIND_TYPEDEF:
			if (!skips_typedefs)
				return id;
			id = type->type;
			break;
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG: id = type->type; break;
		default: return id;
		}
	}
	return id;
}

uint32_t btf_view_skip(const struct btf_view *view, uint32_t id)
{
	return skip(view, id, true);
}

uint32_t btf_view_unqualified(const struct btf_view *view, uint32_t id)
{
	return skip(view, id, false);
}

uint32_t btf_member_offset(const struct btf_type *of, const struct btf_member *member)
{
	return BTF_INFO_KFLAG(of->info) ? BTF_MEMBER_BIT_OFFSET(member->offset) : member->offset;
}

uint32_t btf_member_bits(const struct btf_type *of, const struct btf_member *member)
{
	return BTF_INFO_KFLAG(of->info) ? BTF_MEMBER_BITFIELD_SIZE(member->offset) : 0;
}

static const struct btf_member *find_member(const struct btf_view *view, uint32_t id, const char *name,
					    uint32_t *offset, int depth)
{
	const struct btf_type *type = btf_view_type(view, btf_view_skip(view, id));
	uint32_t kind = type ? BTF_INFO_KIND(type->info) : BTF_KIND_UNKN;

	if ((kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION) || depth > DEPTH_MOST)
		return NULL;
	for (uint32_t i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		const struct btf_member *member = &btf_view_members(type)[i], *inner;

		if (member->name_off) {
			if (strcmp(btf_view_name(view, member->name_off), name))
				continue;
			*offset = btf_member_offset(type, member);
			return member;
		}
		inner = find_member(view, member->type, name, offset, depth + 1);
		if (inner) {
			*offset += btf_member_offset(type, member);
			return inner;
		}
	}
	return NULL;
}

const struct btf_member *btf_view_member(const struct btf_view *view, uint32_t id, const char *name, uint32_t *offset)
{
	return find_member(view, id, name, offset, 0);
}
