/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of the running kernel, from BTF. Reading it takes longer than the rest of a compilation, so it happens on
 * demand: for members of a struct that the program only names (curthread->tgid), for an undefined type (gfp_t), or for
 * member offsets in library functions (relocate.c).
 */
#ifndef ERLBPF_D_TYPES_KERNEL_TYPES_H
#define ERLBPF_D_TYPES_KERNEL_TYPES_H

#include <stdbool.h>

#include "d/btf/view.h"
#include "d/types/type.h"

struct kernel_types;

struct kernel_types *kernel_types_new(struct arena *arena, struct type_table *types);

/* NULL: the kernel has no BTF. */
const struct btf_view *kernel_types_view(struct kernel_types *kernel);

/*
 * Completes a struct, union or enum with the members of the kernel's type. False: unknown to the kernel. Structs behind
 * its pointers stay incomplete until they are needed.
 */
bool kernel_types_complete(struct kernel_types *kernel, struct type *type);

/* The n-th argument of a tracepoint, from 0. NULL: none, or unknown. */
struct type *kernel_types_argument(struct kernel_types *kernel, const char *tracepoint, unsigned int n);

/* The number of its arguments; -1: unknown. */
int kernel_types_arguments(struct kernel_types *kernel, const char *tracepoint);

/* A typedef of the kernel. NULL: unknown. */
struct type *kernel_types_typedef(struct kernel_types *kernel, const char *name);
/* The target of a kernel typedef, whose name becomes a type name. NULL: unknown. */
struct type *kernel_types_named(struct kernel_types *kernel, const char *name);

#endif
