/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types of functions (.BTF and .BTF.ext). The verifier looks at a global function once, by its types, and not anew for
 * each call, but it wants to know the types of all functions then. Those that are added have that of d_clauses(), or of
 * the template that they are a copy of.
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
	uint32_t names_size;	    /* of the added ones' sections */
	uint32_t resized, new_size; /* where the size of a struct is in .BTF, 0: nowhere */
};

/* False: the sections are not what is expected, which cannot be. */
bool function_info_begin(struct function_info *f, struct arena *arena, const void *types, size_t types_size,
			 const void *info, size_t info_size);

/* A function at that byte of a section, of the same type as the one at `like` of another. */
bool function_info_add(struct function_info *f, const char *section, uint32_t at, const char *like_section,
		       uint32_t like);

/* A struct is larger than the library knows. */
bool function_info_resize(struct function_info *f, const char *name, uint32_t size);

/* Both sections anew, in the arena. Functions of a section were added in order. Lines are left out. */
void *function_info_types(const struct function_info *f, size_t *size);
void *function_info_finish(const struct function_info *f, size_t *size);

#endif
