/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ELF object: that of the library (bpf/d.bpf.c), to which the functions of a program are added, and a
 * copy of a template for each way in which it is started. So libbpf does the rest, as for any other tool.
 */
#ifndef ERLBPF_D_OBJECT_OBJECT_H
#define ERLBPF_D_OBJECT_OBJECT_H

#include "d/object/emit.h"

struct btf_view;
struct object;

/*
 * In the arena; NULL if the library is not what is expected, which cannot be. With types, its functions that are global
 * are verified once; without, the kernel is told no types of functions, which is less to load.
 */
struct object *object_new(struct arena *arena, bool with_types, size_t frame_size);

/* Functions that read the kernel's structs read them where it has them. NULL, or what it does not have. */
const char *object_relocate(struct object *object, const struct btf_view *kernel);

/* A function of that name; what it refers to may be added later. */
void object_add_function(struct object *object, const char *name, const struct emit_code *code);

/* A program from a template section, which calls the function in the place of d_clauses(). */
bool object_add_program(struct object *object, const char *section, const char *name, const char *template,
			const char *function, unsigned int args);

/* The finished file, in the arena; NULL: something refers to what is not there, which `missing` names. */
void *object_finish(struct object *object, size_t *size, const char **missing);

#endif
