/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CO-RE relocation: accesses of the library to kernel structs (vmlinux/) get the offsets of the running kernel. clang
 * lists each access in .BTF.ext, as a path of members, which are looked up by name.
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
 * `info` is the library's .BTF.ext. NULL, or what the kernel lacks: "struct task_struct". A path can contain nested
 * struct members, but no array elements.
 */
const char *relocate(struct arena *arena, const struct relocate_section *section, const struct btf_view *library,
		     const void *info, const struct btf_view *kernel);

#endif
