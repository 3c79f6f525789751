/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types of functions (.BTF and .BTF.ext). With types, the verifier examines a global function once instead of at each
 * call, but it then needs the types of all functions. An added function has the type of d_clauses(), or of the template
 * that it copies.
 */
#ifndef ERLBPF_D_OBJECT_FUNCTION_INFO_H
#define ERLBPF_D_OBJECT_FUNCTION_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "d/btf/view.h"

struct function_info {
	struct arena *arena;
	struct btf_view view; /* the sections of the library */
	const void *info;
	size_t info_size;
	struct added_function *first, **end;
	uint32_t names_size;	    /* of the names of added sections */
	uint32_t resized, new_size; /* position in .BTF of the size of a struct, 0: none */
};

/* False: unexpected sections, a build error. */
bool function_info_begin(struct function_info *f, struct arena *arena, const void *types, size_t types_size,
			 const void *info, size_t info_size);

/* Adds a function at that byte of a section, with the type of the one at `like` in another section. */
bool function_info_add(struct function_info *f, const char *section, uint32_t at, const char *like_section,
		       uint32_t like);

/* Sets the size of a struct that is larger than in the library. */
bool function_info_resize(struct function_info *f, const char *name, uint32_t size);

/* Makes both sections, in the arena. Functions of a section must be added in order. Line information is dropped. */
void *function_info_types(const struct function_info *f, size_t *size);
void *function_info_finish(const struct function_info *f, size_t *size);

#endif
