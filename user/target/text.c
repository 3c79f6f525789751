// SPDX-License-Identifier: BSD-2-Clause
#include "target/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "target/procfs.h"

#define CHUNK (64u << 10)
#define LOOK_AHEAD 4 /* bytes of a nop5 behind its first */
#define MAX_TEXT (128u << 20)
#define MAX_PATCHES 65536

#define X86_INT3 0xcc
#define X86_CALL 0xe8
#define ARM_BRK 0xd42000a0u /* BRK64_OPCODE_UPROBES of the kernel's asm/brk-imm.h */

static const unsigned char nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

static int add(struct text_patches *patches, uint64_t address, enum text_kind kind)
{
	if (patches->count >= MAX_PATCHES)
		return -E2BIG;
	if (!array_has_room(patches->all, patches->count))
		return -ENOMEM;
	patches->all[patches->count++] = (struct text_patch){ address, kind };
	return 0;
}

/* What begins at a byte that differs: how long it is, 0 if it is nothing that the kernel makes. */
static size_t classify_x86(const struct text_piece *p, size_t at, enum text_kind *kind)
{
	bool is_nop5 = p->there - at >= sizeof(nop5) && !memcmp(p->file + at, nop5, sizeof(nop5));

	if (p->memory[at] == X86_CALL && is_nop5) {
		*kind = TEXT_CALL;
		return sizeof(nop5);
	}
	if (p->memory[at] != X86_INT3)
		return 0;
	*kind = TEXT_BREAKPOINT;
	if (!is_nop5 || !memcmp(p->file + at + 1, p->memory + at + 1, sizeof(nop5) - 1))
		return 1;
	*kind = TEXT_TORN;
	return sizeof(nop5);
}

static size_t classify_arm(const struct text_piece *p, size_t at, enum text_kind *kind)
{
	uint32_t found, wanted;

	if ((p->address + at) % sizeof(found) || p->there - at < sizeof(found))
		return 0;
	memcpy(&found, p->memory + at, sizeof(found));
	memcpy(&wanted, p->file + at, sizeof(wanted));
	*kind = TEXT_BREAKPOINT;
	return found == ARM_BRK && found != wanted ? sizeof(found) : 0;
}

/* The first byte of an instruction may be the same where others differ: on aarch64 each word is looked at whole. */
static bool is_same(const struct text_piece *p, size_t at)
{
	size_t size = p->arch == ARCH_AARCH64 && p->there - at >= 4 ? 4 : 1;

	return !memcmp(p->file + at, p->memory + at, size);
}

int text_compare(const struct text_piece *p, struct text_patches *patches)
{
	size_t at = 0;
	int err = 0;

	if (!memcmp(p->file, p->memory, p->there))
		return 0;
	while (!err && at < p->size) {
		enum text_kind kind;
		size_t length;

		if (is_same(p, at)) {
			at++;
			continue;
		}
		length = p->arch == ARCH_AARCH64 ? classify_arm(p, at, &kind) : classify_x86(p, at, &kind);
		if (length)
			err = add(patches, p->address + at, kind);
		at += length ? length : 1;
	}
	return err;
}

/* A segment of the text, and where the process has it. */
struct span {
	const struct target *target;
	uint64_t address, size, moved;
	unsigned char *file, *memory; /* CHUNK + LOOK_AHEAD bytes each */
};

static int compare_chunk(const struct span *s, uint64_t at, struct text_patches *patches)
{
	uint64_t left = s->size - at;
	struct text_piece piece = {
		.arch = image_arch(s->target->vm->image),
		.address = s->address + at,
		.file = s->file,
		.memory = s->memory,
		.size = left < CHUNK ? (size_t)left : CHUNK,
		.there = left < CHUNK + LOOK_AHEAD ? (size_t)left : CHUNK + LOOK_AHEAD,
	};
	size_t again = patches->count ? patches->count - 1 : 0;
	int err = image_read_code(s->target->vm->image, piece.address, s->file, piece.there);

	if (!err)
		err = procfs_memory(s->target->pid, piece.address + s->moved, s->memory, piece.there);
	/* What began in the last chunk reaches into this one. */
	if (!err && patches->count && patches->all[again].kind != TEXT_BREAKPOINT &&
	    patches->all[again].address + sizeof(nop5) > piece.address)
		memcpy(s->memory, s->file, patches->all[again].address + sizeof(nop5) - piece.address);
	return err ? err : text_compare(&piece, patches);
}

static int compare_segment(const struct span *s, struct text_patches *patches)
{
	int err = 0;

	for (uint64_t at = 0; !err && at < s->size; at += CHUNK)
		err = compare_chunk(s, at, patches);
	return err;
}

int text_patches_read(const struct target *target, struct text_patches *patches)
{
	_cleanup_free_ unsigned char *file = malloc(CHUNK + LOOK_AHEAD), *memory = malloc(CHUNK + LOOK_AHEAD);
	struct span span = { .target = target, .file = file, .memory = memory };
	uint64_t sum = 0;
	int err = file && memory ? target_address(target, 0, &span.moved) : -ENOMEM;

	*patches = (struct text_patches){};
	for (size_t i = 0; !err && image_code_segment(target->vm->image, i, &span.address, &span.size); i++) {
		/* Neither alone nor together: sizes of a hostile file do not add up. */
		if (span.size > MAX_TEXT || (sum += span.size) > MAX_TEXT)
			return -EFBIG;
		err = compare_segment(&span, patches);
	}
	return err;
}

void text_patches_free(struct text_patches *patches)
{
	free(patches->all);
	*patches = (struct text_patches){};
}

const struct image_symbol *text_function(const struct image *image, uint64_t address)
{
	size_t count;
	const struct image_symbol *symbols = image_symbols(image, &count), *found = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct image_symbol *s = &symbols[i];

		if (!s->is_function || s->address > address || (found && s->address < found->address))
			continue;
		if (!found || s->address > found->address || image_symbol_compare(s, found) < 0)
			found = s;
	}
	return found;
}
