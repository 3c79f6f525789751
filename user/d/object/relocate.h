/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CO-RE: what the library reads of the kernel's structs (vmlinux/) lies where the running kernel has it. clang notes
 * every such place in .BTF.ext, as a path of members; here the paths are looked up by their names.
 */
#ifndef ERLBPF_D_OBJECT_RELOCATE_H
#define ERLBPF_D_OBJECT_RELOCATE_H

#include "d/btf/view.h"

/* A section of the library, whose code is changed. */
struct relocate_section {
	const char *name;
	char *code;
	size_t size;
};

/*
 * `info` is the library's .BTF.ext. NULL, or what the kernel does not have: "struct task_struct". A path may have
 * struct members in it, also nested ones, but no elements of arrays.
 */
const char *relocate(struct arena *arena, const struct relocate_section *section, const struct btf_view *library,
		     const void *info, const struct btf_view *kernel);

#endif
