// SPDX-License-Identifier: BSD-2-Clause
#include "d/function_info.h"

#include <linux/btf.h>
#include <string.h>

#include "d/arena.h"

/* Of a .BTF.ext: <linux/btf.h> has only what the kernel reads. Offsets count from the header's end. */
struct info_header {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t size;
	uint32_t functions, functions_size;
	uint32_t lines, lines_size;
	uint32_t relocations, relocations_size;
};

struct info_section {
	uint32_t name;
	uint32_t count;
};

struct info_function {
	uint32_t at;
	uint32_t type;
};

struct added_function {
	const char *section;
	uint32_t name;			/* of the section; 0: it is the library's */
	struct info_function info;
	struct added_function *next;
};

static const struct info_header *header_of(const struct function_info *f)
{
	return f->info;
}

static const char *text_of(const struct function_info *f, uint32_t name)
{
	const struct btf_header *header = f->types;

	return name < header->str_len ? (const char *)f->types + header->hdr_len + header->str_off + name : "";
}

bool function_info_begin(struct function_info *f, struct arena *arena, const void *types, size_t types_size,
			 const void *info, size_t info_size)
{
	const struct btf_header *header = types;
	const struct info_header *functions = info;

	*f = (struct function_info){ arena, types, info, types_size, info_size, NULL, NULL, 0, 0 };
	f->end = &f->first;
	return types_size > sizeof(*header) && info_size > sizeof(*functions) &&
	       header->hdr_len + header->str_off + header->str_len == types_size &&
	       functions->size + functions->functions + functions->functions_size <= info_size &&
	       functions->functions_size > 4 &&
	       *(const uint32_t *)((const char *)info + functions->size + functions->functions) ==
	       sizeof(struct info_function);
}

/* The sections of the library, one after the other: the first with NULL. */
static const struct info_section *next_section(const struct function_info *f, const struct info_section *section)
{
	const char *first = (const char *)f->info + header_of(f)->size + header_of(f)->functions;
	const char *end = first + header_of(f)->functions_size, *next = first + 4;

	if (section)
		next = (const char *)(section + 1) + section->count * sizeof(struct info_function);
	return next + sizeof(*section) <= end ? (const struct info_section *)next : NULL;
}

static uint32_t type_at(const struct function_info *f, const char *name, uint32_t at)
{
	const struct info_section *section = NULL;

	while ((section = next_section(f, section))) {
		const struct info_function *functions = (const struct info_function *)(section + 1);

		if (strcmp(text_of(f, section->name), name))
			continue;
		for (uint32_t i = 0; i < section->count; i++) {
			if (functions[i].at == at)
				return functions[i].type;
		}
	}
	return 0;
}

static bool is_of_library(const struct function_info *f, const char *name)
{
	const struct info_section *section = NULL;

	while ((section = next_section(f, section))) {
		if (!strcmp(text_of(f, section->name), name))
			return true;
	}
	return false;
}

/* Names are put behind those of the library, one for each function. */
static uint32_t next_name(const struct function_info *f)
{
	uint32_t at = ((const struct btf_header *)f->types)->str_len;

	for (const struct added_function *added = f->first; added; added = added->next)
		at += added->name ? (uint32_t)strlen(added->section) + 1 : 0;
	return at;
}

bool function_info_add(struct function_info *f, const char *section, uint32_t at, const char *like_section,
		       uint32_t like)
{
	struct added_function *added = arena_alloc(f->arena, sizeof(*added));

	added->section = section;
	added->name = is_of_library(f, section) ? 0 : next_name(f);
	added->info = (struct info_function){ at, type_at(f, like_section, like) };
	*f->end = added;
	f->end = &added->next;
	return added->info.type;
}

/* Of a type, with what belongs to it. 0: it is of a kind that is not known. */
static size_t type_size(const struct btf_type *type)
{
	size_t count = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(*type) + 4;
	case BTF_KIND_ARRAY:
		return sizeof(*type) + sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return sizeof(*type) + count * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return sizeof(*type) + count * 8;
	case BTF_KIND_DATASEC:
	case 19:	/* BTF_KIND_ENUM64, which not all headers know */
		return sizeof(*type) + count * 12;
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return sizeof(*type);
	default:
		return 0;
	}
}

bool function_info_resize(struct function_info *f, const char *name, uint32_t size)
{
	const struct btf_header *header = f->types;
	const char *at = (const char *)f->types + header->hdr_len + header->type_off, *end = at + header->type_len;

	while (at + sizeof(struct btf_type) <= end) {
		const struct btf_type *type = (const struct btf_type *)at;
		size_t step = type_size(type);

		if (BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT && !strcmp(text_of(f, type->name_off), name)) {
			f->resized = (uint32_t)((const char *)&type->size - (const char *)f->types);
			f->new_size = size;
			return true;
		}
		if (!step)
			return false;
		at += step;
	}
	return false;
}

void *function_info_types(const struct function_info *f, size_t *size)
{
	const struct btf_header *old = f->types;
	size_t names = next_name(f) - old->str_len;
	char *types = arena_alloc(f->arena, f->types_size + names);

	memcpy(types, f->types, f->types_size);
	((struct btf_header *)types)->str_len += (uint32_t)names;
	if (f->resized)
		memcpy(types + f->resized, &f->new_size, sizeof(f->new_size));
	for (const struct added_function *added = f->first; added; added = added->next) {
		if (added->name)
			strcpy(types + old->hdr_len + old->str_off + added->name, added->section);
	}
	*size = f->types_size + names;
	return types;
}

static char *put(char *to, const void *data, size_t size)
{
	memcpy(to, data, size);
	return to + size;
}

/* A section of the library, and what was added to it. */
static char *put_section(const struct function_info *f, char *to, const struct info_section *section)
{
	struct info_section *made = (struct info_section *)to;
	const char *name = text_of(f, section->name);

	to = put(to, section, sizeof(*section) + section->count * sizeof(struct info_function));
	for (const struct added_function *added = f->first; added; added = added->next) {
		if (added->name || strcmp(added->section, name))
			continue;
		to = put(to, &added->info, sizeof(added->info));
		made->count++;
	}
	return to;
}

void *function_info_finish(const struct function_info *f, size_t *size)
{
	const uint32_t function_size = sizeof(struct info_function);
	struct info_header header = { header_of(f)->magic, header_of(f)->version, 0, sizeof(header), 0, 0, 0, 0, 0, 0 };
	const struct info_section *section = NULL;
	size_t most = sizeof(header) + header_of(f)->functions_size;
	char *info, *to;

	for (const struct added_function *added = f->first; added; added = added->next)
		most += sizeof(struct info_section) + sizeof(struct info_function);
	info = arena_alloc(f->arena, most);
	to = put(info + sizeof(header), &function_size, sizeof(function_size));
	while ((section = next_section(f, section)))
		to = put_section(f, to, section);
	for (const struct added_function *added = f->first; added; added = added->next) {
		const struct info_section own = { added->name, 1 };

		if (!added->name)
			continue;
		to = put(to, &own, sizeof(own));
		to = put(to, &added->info, sizeof(added->info));
	}
	*size = (size_t)(to - info);
	header.functions_size = header.lines = header.relocations = (uint32_t)(*size - sizeof(header));
	put(info, &header, sizeof(header));
	return info;
}
