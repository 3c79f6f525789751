/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ELF object: the library (bpf/d.bpf.c), the functions of a program, and a copy of a template for each way to start
 * it. libbpf does the rest, as for any other tool.
 */
#ifndef ERLBPF_D_OBJECT_OBJECT_H
#define ERLBPF_D_OBJECT_OBJECT_H

#include "d/object/emit.h"

struct btf_view;
struct object;

/*
 * In the arena; NULL: unexpected library, a build error. With types, its global functions are verified once; without,
 * there is less to load.
 */
struct object *object_new(struct arena *arena, bool with_types, size_t frame_size);

/* Relocates accesses to kernel structs. NULL, or the name of what the kernel lacks. */
const char *object_relocate(struct object *object, const struct btf_view *kernel);

/* Adds a function; symbols that it refers to can be added later. */
void object_add_function(struct object *object, const char *name, const struct emit_code *code);

/* Adds a program from a template section, with a call of the function instead of d_clauses(). */
bool object_add_program(struct object *object, const char *section, const char *name, const char *template,
			const char *function, unsigned int args);

/* The finished file, in the arena; NULL: the symbol in `missing` is undefined. */
void *object_finish(struct object *object, size_t *size, const char **missing);

#endif
