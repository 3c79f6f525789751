// SPDX-License-Identifier: BSD-2-Clause
#include "d/types/kernel_types.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/arena.h"
#include "d/types/type_build.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"
#define DEPTH_MOST 64 /* of nested types, not counting pointers to structs */

struct kernel_types {
	struct arena *arena;
	struct type_table *types;
	struct btf_view view;
	bool is_read, is_there;
	struct type **made; /* D type of each kernel type, by its id */
};

struct kernel_types *kernel_types_new(struct arena *arena, struct type_table *types)
{
	struct kernel_types *kernel = arena_alloc(arena, sizeof(*kernel));

	kernel->arena = arena;
	kernel->types = types;
	return kernel;
}

/* The whole file; NULL on errors. */
static char *read_file(struct arena *arena, const char *path, size_t *size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat stat;
	char *data;
	ssize_t got;

	if (fd < 0 || fstat(fd, &stat))
		return NULL;
	data = arena_alloc(arena, (size_t)stat.st_size);
	for (*size = 0; *size < (size_t)stat.st_size; *size += (size_t)got) {
		got = read(fd, data + *size, (size_t)stat.st_size - *size);
		if (got <= 0)
			return NULL;
	}
	return data;
}

const struct btf_view *kernel_types_view(struct kernel_types *kernel)
{
	size_t size = 0;
	char *data;

	if (!kernel->is_read) {
		kernel->is_read = true;
		data = read_file(kernel->arena, KERNEL_BTF, &size);
		kernel->is_there = data && btf_view_open(&kernel->view, kernel->arena, data, size);
		if (kernel->is_there)
			kernel->made = arena_alloc(kernel->arena, kernel->view.count * sizeof(*kernel->made));
	}
	return kernel->is_there ? &kernel->view : NULL;
}

static struct type *take(struct kernel_types *kernel, uint32_t id, int depth);

/* A struct of the program is different, even with the same name. */
static struct type *take_named(struct kernel_types *kernel, enum type_kind kind, const struct btf_type *from)
{
	const char *name = btf_view_name(&kernel->view, from->name_off);
	struct type *type = *name ? type_tagged(kernel->types, kind, name) : NULL;

	if (type && type->is_incomplete && !type->is_begun)
		return type;
	if (!type)
		return type_tag_add(kernel->types, kind, *name ? name : NULL);
	type = type_tag_add(kernel->types, kind, NULL);
	type->name = name;
	return type;
}

/* Its size is set immediately, its members on demand. */
static struct type *take_struct(struct kernel_types *kernel, uint32_t id, const struct btf_type *from)
{
	enum type_kind kind = BTF_INFO_KIND(from->info) == BTF_KIND_STRUCT ? TYPE_STRUCT : TYPE_UNION;
	struct type *type = take_named(kernel, kind, from);

	type->size = from->size;
	type->kernel_id = id;
	kernel->made[id] = type;
	return type;
}

static struct type *take_array(struct kernel_types *kernel, const struct btf_type *from, int depth)
{
	const struct btf_array *array = (const struct btf_array *)(from + 1);

	return type_array(kernel->types, take(kernel, array->type, depth), array->nelems);
}

static struct type *take_int(struct kernel_types *kernel, const struct btf_type *from)
{
	uint32_t encoding = *(const uint32_t *)(from + 1);
	const char *name = btf_view_name(&kernel->view, from->name_off);

	/* Whether char is signed depends on the kernel; in D it is a character. */
	if (!strcmp(name, "char") || !strcmp(name, "_Bool"))
		return type_named(kernel->types, name);
	return type_int(kernel->types, from->size, BTF_INT_ENCODING(encoding) & BTF_INT_SIGNED);
}

static struct type *make(struct kernel_types *kernel, uint32_t id, const struct btf_type *from, int depth)
{
	switch (BTF_INFO_KIND(from->info)) {
	case BTF_KIND_INT: return take_int(kernel, from);
	case BTF_KIND_PTR: return type_pointer(kernel->types, take(kernel, from->type, depth));
	case BTF_KIND_ARRAY: return take_array(kernel, from, depth);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION: return take_struct(kernel, id, from);
	case BTF_KIND_FWD: return take_named(kernel, BTF_INFO_KFLAG(from->info) ? TYPE_UNION : TYPE_STRUCT, from);
	case BTF_KIND_FUNC_PROTO: return type_function(kernel->types, type_void(kernel->types), NULL);
	case BTF_KIND_ENUM: return type_int(kernel->types, from->size, true);
	case BTF_KIND_FLOAT: return type_named(kernel->types, "double");
	case BTF_KIND_TYPEDEF:
		return type_alias(kernel->types, btf_view_name(&kernel->view, from->name_off),
				  take(kernel, from->type, depth));
	default: return type_int(kernel->types, 8, false);
	}
}

/* The D type for a kernel type; a typedef keeps its name, which print() shows. */
static struct type *take(struct kernel_types *kernel, uint32_t id, int depth)
{
	const struct btf_type *from;

	id = btf_view_unqualified(&kernel->view, id);
	from = btf_view_type(&kernel->view, id);
	if (!from || depth > DEPTH_MOST)
		return type_void(kernel->types);
	if (!kernel->made[id])
		kernel->made[id] = make(kernel, id, from, depth + 1);
	return kernel->made[id];
}

static void complete(struct kernel_types *kernel, struct type *type, uint32_t id);

/* Members complete with the struct, but not the targets of pointers. */
static void complete_held(struct kernel_types *kernel, uint32_t id)
{
	const struct btf_type *from;

	id = btf_view_skip(&kernel->view, id);
	from = btf_view_type(&kernel->view, id);
	if (from && BTF_INFO_KIND(from->info) == BTF_KIND_ARRAY)
		complete_held(kernel, ((const struct btf_array *)(from + 1))->type);
	else if (from && type_is_struct(kernel->made[id]) && kernel->made[id]->is_incomplete)
		complete(kernel, kernel->made[id], id);
}

/* BTF has no alignments: it is that of the members, unless the struct is packed. */
static void align(struct type *type, const struct type *member, uint32_t offset)
{
	if (member->align > type->align && offset % (member->align * 8) == 0 && type->size % member->align == 0)
		type->align = member->align;
}

static void take_member(struct kernel_types *kernel, struct type_layout *layout, const struct btf_type *of,
			const struct btf_member *member)
{
	const char *name = btf_view_name(&kernel->view, member->name_off);
	struct type *type = take(kernel, member->type, 0);

	complete_held(kernel, member->type);
	type_layout_add_at(kernel->types, layout, *name ? name : NULL, type, btf_member_offset(of, member),
			   btf_member_bits(of, member));
	align(layout->type, type_real(type), btf_member_offset(of, member));
}

static void complete(struct kernel_types *kernel, struct type *type, uint32_t id)
{
	const struct btf_type *from = btf_view_type(&kernel->view, id);
	struct type_layout layout = { .type = type };

	kernel->made[id] = type;
	type->kernel_id = id;
	type->size = from->size;
	type->is_incomplete = false;
	for (uint32_t i = 0; i < BTF_INFO_VLEN(from->info); i++)
		take_member(kernel, &layout, from, &btf_view_members(from)[i]);
}

/* Names that the program defined keep their meaning. */
static void complete_enum(struct kernel_types *kernel, struct type *type, uint32_t id)
{
	const struct btf_type *from = btf_view_type(&kernel->view, id);
	const struct btf_enum *values = (const struct btf_enum *)(from + 1);
	int64_t value;

	kernel->made[id] = type;
	type->kernel_id = id;
	type->size = type->align = from->size;
	type->is_incomplete = false;
	for (uint32_t i = 0; i < BTF_INFO_VLEN(from->info); i++) {
		const char *name = btf_view_name(&kernel->view, values[i].name_off);

		if (!type_enumerator(kernel->types, name, &value, NULL) && !type_named(kernel->types, name))
			type_enumerator_add(kernel->types, type, name, values[i].val);
	}
}

static uint32_t kind_of(const struct type *type)
{
	return type->kind == TYPE_STRUCT ? BTF_KIND_STRUCT : type->kind == TYPE_UNION ? BTF_KIND_UNION : BTF_KIND_ENUM;
}

/* Also for anonymous types: they come from a kernel type. */
static uint32_t id_of(const struct kernel_types *kernel, const struct type *type)
{
	if (type->kernel_id)
		return type->kernel_id;
	return type->name ? btf_view_find(&kernel->view, kind_of(type), type->name) : 0;
}

bool kernel_types_complete(struct kernel_types *kernel, struct type *type)
{
	uint32_t id;

	if ((!type_is_struct(type) && type->kind != TYPE_ENUM) || !kernel_types_view(kernel))
		return false;
	id = id_of(kernel, type);
	if (id && type->kind == TYPE_ENUM)
		complete_enum(kernel, type, id);
	else if (id)
		complete(kernel, type, id);
	return id;
}

/* The function type of a tracepoint: a typedef of a pointer, whose first parameter does not count. */
static const struct btf_type *function_of(struct kernel_types *kernel, const char *tracepoint)
{
	char name[128];
	uint32_t id;
	const struct btf_type *type;

	snprintf(name, sizeof(name), "btf_trace_%s", tracepoint);
	id = btf_view_find(&kernel->view, BTF_KIND_TYPEDEF, name);
	type = btf_view_type(&kernel->view, btf_view_skip(&kernel->view, id));
	if (!id || !type || BTF_INFO_KIND(type->info) != BTF_KIND_PTR)
		return NULL;
	type = btf_view_type(&kernel->view, btf_view_skip(&kernel->view, type->type));
	return type && BTF_INFO_KIND(type->info) == BTF_KIND_FUNC_PROTO ? type : NULL;
}

struct type *kernel_types_argument(struct kernel_types *kernel, const char *tracepoint, unsigned int n)
{
	const struct btf_type *function = kernel_types_view(kernel) ? function_of(kernel, tracepoint) : NULL;
	const struct btf_param *params = function ? (const struct btf_param *)(function + 1) : NULL;

	return params && n + 1 < BTF_INFO_VLEN(function->info) ? take(kernel, params[n + 1].type, 0) : NULL;
}

int kernel_types_arguments(struct kernel_types *kernel, const char *tracepoint)
{
	const struct btf_type *function = kernel_types_view(kernel) ? function_of(kernel, tracepoint) : NULL;

	/* The first one is the program's own. */
	return function ? (int)BTF_INFO_VLEN(function->info) - 1 : -1;
}

struct type *kernel_types_typedef(struct kernel_types *kernel, const char *name)
{
	uint32_t id = kernel_types_view(kernel) ? btf_view_find(&kernel->view, BTF_KIND_TYPEDEF, name) : 0;

	return id ? take(kernel, id, 0) : NULL;
}

struct type *kernel_types_named(struct kernel_types *kernel, const char *name)
{
	struct type *type = kernel_types_typedef(kernel, name);

	if (!type)
		return NULL;
	type_name_add(kernel->types, name, type_real(type));
	return type_named(kernel->types, name);
}
