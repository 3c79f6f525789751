// SPDX-License-Identifier: BSD-2-Clause
#include "d/object/relocate.h"

#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "d/btf/ext.h"

#define FIELD_OFFSET 0 /* BPF_CORE_FIELD_BYTE_OFFSET: the only kind in the library */

struct walk {
	const struct btf_view *library, *kernel;
	uint32_t here, there; /* the same struct, in the library and in the kernel */
	uint32_t offset;      /* in the kernel's outermost struct, in bits */
};

static const char *missing(struct arena *arena, const struct walk *walk, const char *member)
{
	const struct btf_type *type = btf_view_type(walk->library, walk->here);

	return arena_printf(arena, "struct %s%s%s", type ? btf_view_name(walk->library, type->name_off) : "?",
			    *member ? "." : "", member);
}

/* Enters the member with that number. NULL, or what is missing. */
static const char *enter(struct arena *arena, struct walk *walk, unsigned long number)
{
	const struct btf_type *type = btf_view_type(walk->library, walk->here);
	const struct btf_member *member, *same;
	uint32_t offset;

	if (!type || BTF_INFO_KIND(type->info) != BTF_KIND_STRUCT || number >= BTF_INFO_VLEN(type->info))
		return "a member of the library's own";
	member = &btf_view_members(type)[number];
	same = btf_view_member(walk->kernel, walk->there, btf_view_name(walk->library, member->name_off), &offset);
	if (!same)
		return missing(arena, walk, btf_view_name(walk->library, member->name_off));
	walk->offset += offset;
	walk->here = btf_view_skip(walk->library, member->type);
	walk->there = btf_view_skip(walk->kernel, same->type);
	return NULL;
}

/* "0:2:1": the struct itself, its third member, and the second member of that. */
static const char *find(struct arena *arena, struct walk *walk, const char *path)
{
	const struct btf_type *type = btf_view_type(walk->library, walk->here);
	const char *wrong = NULL;
	char *at;

	if (type)
		walk->there = btf_view_find(walk->kernel, BTF_KIND_STRUCT,
					    btf_view_name(walk->library, type->name_off));
	if (!walk->there || strtoul(path, &at, 10))
		return missing(arena, walk, "");
	while (!wrong && *at == ':')
		wrong = enter(arena, walk, strtoul(at + 1, &at, 10));
	return wrong;
}

static void patch(struct bpf_insn *insn, uint32_t offset)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_LDX:
	case BPF_ST:
	case BPF_STX: insn->off = (__s16)offset; break;
	default: insn->imm = (__s32)offset;
	}
}

static const char *relocate_one(struct arena *arena, struct walk *walk, const struct ext_relocation *relocation,
				const struct relocate_section *section)
{
	const char *wrong;

	walk->here = btf_view_skip(walk->library, relocation->type);
	if (relocation->kind != FIELD_OFFSET || relocation->at + sizeof(struct bpf_insn) > section->size)
		return "a relocation of a known kind";
	wrong = find(arena, walk, btf_view_name(walk->library, relocation->path));
	if (!wrong)
		patch((struct bpf_insn *)(section->code + relocation->at), walk->offset / 8);
	return wrong;
}

const char *relocate(struct arena *arena, const struct relocate_section *section, const struct btf_view *library,
		     const void *info, const struct btf_view *kernel)
{
	const struct ext_section *noted = NULL;
	const char *wrong = NULL;

	while (!wrong && (noted = ext_next_relocations(info, noted))) {
		const struct ext_relocation *relocations = (const struct ext_relocation *)(noted + 1);

		if (strcmp(btf_view_name(library, noted->name), section->name))
			continue;
		for (uint32_t i = 0; !wrong && i < noted->count; i++) {
			struct walk walk = { .library = library, .kernel = kernel };

			wrong = relocate_one(arena, &walk, &relocations[i], section);
		}
	}
	return wrong;
}
