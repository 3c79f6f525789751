// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any memory as the text of a process, compared with any other as that of its file. The file's is the memory itself,
 * but where the memory changes between two readings; the rest of the input is also the list of mappings.
 */
#define FOREIGN_WITHOUT_MAPS
#include "foreign.h"
#include "target/text.h"

#define TEXT 0x10000

/* In place of procfs.c. */
char *procfs_maps(pid_t pid)
{
	(void)pid;
	return fuzz_text(foreign.bytes, foreign.size);
}

/* In place of image.c. */
int image_read_code(const struct image *image, uint64_t address, void *buf, size_t size)
{
	(void)image;
	foreign_copy(address, buf, size);
	return 0;
}

/* Up to two, of which the second may be of any size. */
bool image_code_segment(const struct image *image, size_t i, uint64_t *address, uint64_t *size)
{
	(void)image;
	*address = TEXT + i * TEXT * 16;
	memcpy(size, foreign.head.table + 4, sizeof(*size));
	if (!i)
		*size = *size % TEXT * 4;
	return i < 1 + (foreign.head.table[1] & 1);
}

static void check_patches(const struct text_patches *patches)
{
	for (size_t i = 0; i < patches->count; i++) {
		const struct text_patch *patch = &patches->all[i];

		must(patch->kind <= TEXT_TORN, "a patch is of a kind");
		must(!i || patches->all[i - 1].address < patch->address, "patches are in order");
		must(patch->address >= TEXT, "a patch is in the text");
	}
}

/* Pieces of the input at hand, of exactly their sizes. */
static void compare_pieces(void)
{
	size_t half = foreign.size / 2, behind = foreign.head.table[2] % 5;
	struct text_patches patches = {};
	unsigned char *file = malloc(half), *memory = malloc(half);
	struct text_piece piece = {
		.arch = foreign.head.is_arm & 1 ? ARCH_AARCH64 : ARCH_X86_64,
		.address = TEXT,
		.file = file,
		.memory = memory,
		.size = half > behind ? half - behind : half,
		.there = half,
	};

	memcpy(file, foreign.bytes, half);
	memcpy(memory, foreign.bytes + half, half);
	must(!text_compare(&piece, &patches), "what is short is compared");
	check_patches(&patches);
	text_patches_free(&patches);
	free(memory);
	free(file);
}

static void fuzz(const uint8_t *data, size_t size)
{
	struct text_patches patches;

	if (!foreign_begin(data, size))
		return;
	compare_pieces();
	if (!text_patches_read(&foreign.target, &patches))
		check_patches(&patches);
	text_patches_free(&patches);
}
