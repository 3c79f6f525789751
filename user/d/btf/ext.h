/* SPDX-License-Identifier: BSD-2-Clause */
/* The section .BTF.ext: <linux/btf.h> declares only what the kernel reads. Offsets count from the end of the header. */
#ifndef ERLBPF_D_BTF_EXT_H
#define ERLBPF_D_BTF_EXT_H

#include <stddef.h>
#include <stdint.h>

struct ext_header {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t size;
	uint32_t functions, functions_size;
	uint32_t lines, lines_size;
	uint32_t relocations, relocations_size;
};

/* Both parts begin with the size of their records. Sections with such records follow. */
struct ext_section {
	uint32_t name;
	uint32_t count;
};

struct ext_function {
	uint32_t at;
	uint32_t type;
};

struct ext_relocation {
	uint32_t at;
	uint32_t type;
	uint32_t path; /* a string in .BTF: "0:2:1" */
	uint32_t kind;
};

/* The section after `section` in a part; NULL gives the first. */
static inline const struct ext_section *ext_next(const char *part, size_t size, const struct ext_section *section,
						 size_t record)
{
	const char *next = part + sizeof(uint32_t);

	if (section)
		next = (const char *)(section + 1) + section->count * record;
	return next + sizeof(*section) <= part + size ? (const struct ext_section *)next : NULL;
}

static inline const struct ext_section *ext_next_functions(const void *info, const struct ext_section *section)
{
	const struct ext_header *header = info;

	return ext_next((const char *)info + header->size + header->functions, header->functions_size, section,
			sizeof(struct ext_function));
}

/* The .BTF.ext of a library without relocations can end before that part. */
static inline const struct ext_section *ext_next_relocations(const void *info, const struct ext_section *section)
{
	const struct ext_header *header = info;

	if (header->size < sizeof(*header))
		return NULL;
	return ext_next((const char *)info + header->size + header->relocations, header->relocations_size, section,
			sizeof(struct ext_relocation));
}

#endif
