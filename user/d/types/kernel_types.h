/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of the running kernel, from its BTF. Reading that takes longer than all the rest of a compilation, so it is
 * done when somebody asks: for the members of a struct that the program only names (curthread->tgid), for a type that
 * it does not define (gfp_t), or for the places of members that a function of the library reads (relocate.c).
 */
#ifndef ERLBPF_D_TYPES_KERNEL_TYPES_H
#define ERLBPF_D_TYPES_KERNEL_TYPES_H

#include <stdbool.h>

#include "d/btf/view.h"
#include "d/types/type.h"

struct kernel_types;

struct kernel_types *kernel_types_new(struct arena *arena, struct type_table *types);

/* NULL: the kernel does not tell its types. */
const struct btf_view *kernel_types_view(struct kernel_types *kernel);

/*
 * Gives an incomplete struct, union or enum the members that the kernel's of that name has. False: the kernel has none.
 * Structs that it points to stay incomplete, until they are asked for themselves.
 */
bool kernel_types_complete(struct kernel_types *kernel, struct type *type);

/* What a tracepoint gives to its programs: its n-th argument, from 0. NULL: there is none, or it is not known. */
struct type *kernel_types_argument(struct kernel_types *kernel, const char *tracepoint, unsigned int n);

/* How many it gives; -1: it is not known. */
int kernel_types_arguments(struct kernel_types *kernel, const char *tracepoint);

/* A typedef of the kernel's. NULL: the kernel has none of this name. */
struct type *kernel_types_typedef(struct kernel_types *kernel, const char *name);
/* What a typedef of the kernel's stands for: its name is that of a type from now on. NULL: the kernel has none. */
struct type *kernel_types_named(struct kernel_types *kernel, const char *name);

#endif
