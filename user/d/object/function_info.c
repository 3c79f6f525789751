// SPDX-License-Identifier: BSD-2-Clause
#include "d/object/function_info.h"

#include <string.h>

#include "base/arena.h"
#include "d/btf/ext.h"

struct added_function {
	const char *section;
	uint32_t name; /* of the section; 0: the library's */
	struct ext_function info;
	struct added_function *next;
};

static const struct ext_header *header_of(const struct function_info *f)
{
	return f->info;
}

bool function_info_begin(struct function_info *f, struct arena *arena, const void *types, size_t types_size,
			 const void *info, size_t info_size)
{
	const struct ext_header *functions = info;

	*f = (struct function_info){ .arena = arena, .info = info, .info_size = info_size };
	f->end = &f->first;
	return btf_view_open(&f->view, arena, types, types_size) && info_size > sizeof(*functions) &&
	       f->view.header->hdr_len + f->view.header->str_off + f->view.header->str_len == types_size &&
	       functions->size + functions->functions + functions->functions_size <= info_size &&
	       functions->functions_size > 4 &&
	       *(const uint32_t *)((const char *)info + functions->size + functions->functions) ==
		       sizeof(struct ext_function);
}

static uint32_t type_at(const struct function_info *f, const char *name, uint32_t at)
{
	const struct ext_section *section = NULL;

	while ((section = ext_next_functions(f->info, section))) {
		const struct ext_function *functions = (const struct ext_function *)(section + 1);

		if (strcmp(btf_view_name(&f->view, section->name), name))
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
	const struct ext_section *section = NULL;

	while ((section = ext_next_functions(f->info, section))) {
		if (!strcmp(btf_view_name(&f->view, section->name), name))
			return true;
	}
	return false;
}

/* Names follow those of the library, one for each function. */
static uint32_t next_name(const struct function_info *f)
{
	return f->view.header->str_len + f->names_size;
}

bool function_info_add(struct function_info *f, const char *section, uint32_t at, const char *like_section,
		       uint32_t like)
{
	struct added_function *added = arena_alloc(f->arena, sizeof(*added));

	added->section = section;
	added->name = is_of_library(f, section) ? 0 : next_name(f);
	f->names_size += added->name ? (uint32_t)strlen(section) + 1 : 0;
	added->info = (struct ext_function){ at, type_at(f, like_section, like) };
	*f->end = added;
	f->end = &added->next;
	return added->info.type;
}

bool function_info_resize(struct function_info *f, const char *name, uint32_t size)
{
	const struct btf_type *type = btf_view_type(&f->view, btf_view_find(&f->view, BTF_KIND_STRUCT, name));

	if (!type)
		return false;
	f->resized = (uint32_t)((const char *)&type->size - f->view.data);
	f->new_size = size;
	return true;
}

void *function_info_types(const struct function_info *f, size_t *size)
{
	const struct btf_header *old = f->view.header;
	char *types = arena_alloc(f->arena, f->view.size + f->names_size);

	memcpy(types, f->view.data, f->view.size);
	((struct btf_header *)types)->str_len += f->names_size;
	if (f->resized)
		memcpy(types + f->resized, &f->new_size, sizeof(f->new_size));
	for (const struct added_function *added = f->first; added; added = added->next) {
		if (added->name)
			strcpy(types + old->hdr_len + old->str_off + added->name, added->section);
	}
	*size = f->view.size + f->names_size;
	return types;
}

static char *put(char *to, const void *data, size_t size)
{
	memcpy(to, data, size);
	return to + size;
}

/* A section of the library, and the additions to it. */
static char *put_section(const struct function_info *f, char *to, const struct ext_section *section)
{
	struct ext_section *made = (struct ext_section *)to;
	const char *name = btf_view_name(&f->view, section->name);

	to = put(to, section, sizeof(*section) + section->count * sizeof(struct ext_function));
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
	const uint32_t function_size = sizeof(struct ext_function);
	struct ext_header header = { header_of(f)->magic, header_of(f)->version, 0, sizeof(header), 0, 0, 0, 0, 0, 0 };
	const struct ext_section *section = NULL;
	size_t most = sizeof(header) + header_of(f)->functions_size;
	char *info, *to;

	for (const struct added_function *added = f->first; added; added = added->next)
		most += sizeof(struct ext_section) + sizeof(struct ext_function);
	info = arena_alloc(f->arena, most);
	to = put(info + sizeof(header), &function_size, sizeof(function_size));
	while ((section = ext_next_functions(f->info, section)))
		to = put_section(f, to, section);
	for (const struct added_function *added = f->first; added; added = added->next) {
		const struct ext_section own = { added->name, 1 };

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
