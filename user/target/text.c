// SPDX-License-Identifier: BSD-2-Clause
#include "target/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "target/reader/procfs.h"

#define CHUNK (64u << 10)
#define LOOK_AHEAD 4 /* a nop5 has 4 more bytes */
#define MAX_TEXT (128u << 20)
#define MAX_PATCHES 65536

#define X86_INT3 0xcc
#define X86_CALL 0xe8
#define ARM_BRK 0xd42000a0u /* BRK64_OPCODE_UPROBES of the kernel's asm/brk-imm.h */

static const unsigned char nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

static int add(struct text_patches *patches, const struct text_patch *patch)
{
	if (patches->count >= MAX_PATCHES)
		return -E2BIG;
	if (!array_has_room(patches->all, patches->count))
		return -ENOMEM;
	patches->all[patches->count++] = *patch;
	return 0;
}

static bool is_nop5(const struct text_piece *p, size_t at)
{
	return p->arch == ARCH_X86_64 && p->file[at] == nop5[0] && p->there - at >= sizeof(nop5) &&
	       !memcmp(p->file + at, nop5, sizeof(nop5));
}

/* How a nop5 was changed. The size is always that of a nop5, so that no byte of a call looks like a breakpoint. */
static size_t classify_nop5(const struct text_piece *p, size_t at, struct text_patch *patch)
{
	int32_t distance;

	patch->kind = TEXT_TORN;
	if (p->memory[at] == X86_CALL) {
		memcpy(&distance, p->memory + at + 1, sizeof(distance));
		patch->kind = TEXT_CALL;
		patch->called = patch->address + sizeof(nop5) + (uint64_t)(int64_t)distance;
	} else if (p->memory[at] == X86_INT3 && !memcmp(p->memory + at + 1, nop5 + 1, sizeof(nop5) - 1)) {
		patch->kind = TEXT_BREAKPOINT;
	}
	return sizeof(nop5);
}

static size_t classify_arm(const struct text_piece *p, size_t at, struct text_patch *patch)
{
	uint32_t found;

	if (patch->address % sizeof(found) || p->there - at < sizeof(found))
		return 0;
	memcpy(&found, p->memory + at, sizeof(found));
	patch->kind = TEXT_BREAKPOINT;
	return found == ARM_BRK ? sizeof(found) : 0;
}

/* The size of the change that begins here, 0 if the kernel makes no such change. */
static size_t classify(const struct text_piece *p, size_t at, struct text_patch *patch)
{
	if (p->arch == ARCH_AARCH64)
		return classify_arm(p, at, patch);
	if (is_nop5(p, at))
		return classify_nop5(p, at, patch);
	patch->kind = TEXT_BREAKPOINT;
	return p->memory[at] == X86_INT3;
}

/* Compares all bytes of a nop5: the first may be equal when others differ. */
static bool is_same(const struct text_piece *p, size_t at)
{
	size_t size = is_nop5(p, at) ? sizeof(nop5) : p->arch == ARCH_AARCH64 && p->there - at >= 4 ? 4 : 1;

	return !memcmp(p->file + at, p->memory + at, size);
}

int text_compare(const struct text_piece *p, struct text_patches *patches)
{
	size_t at = 0;
	int err = 0;

	if (!memcmp(p->file, p->memory, p->there))
		return 0;
	while (!err && at < p->size) {
		struct text_patch patch = { .address = p->address + at };
		size_t length = is_same(p, at) ? 0 : classify(p, at, &patch);

		if (length)
			err = add(patches, &patch);
		at += length ? length : 1;
	}
	return err;
}

/* An executable segment and its address in the process. */
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
	size_t last = patches->count ? patches->count - 1 : 0;
	int err = image_read_code(s->target->vm->image, piece.address, s->file, piece.there);

	if (!err)
		err = procfs_memory(s->target->pid, piece.address + s->moved, s->memory, piece.there);
	if (err)
		return err;
	/* The change of the last chunk may reach into this one. */
	if (patches->count && patches->all[last].kind != TEXT_BREAKPOINT &&
	    piece.address > patches->all[last].address && piece.address - patches->all[last].address < sizeof(nop5))
		memcpy(s->memory, s->file, patches->all[last].address + sizeof(nop5) - piece.address);
	return text_compare(&piece, patches);
}

static int compare_segment(const struct span *s, struct text_patches *patches)
{
	int err = 0;

	for (uint64_t at = 0; !err && at < s->size; at += CHUNK)
		err = compare_chunk(s, at, patches);
	return err;
}

/* The target of the kernel's fast probes. Other tracers also write calls into a nop5; those are not ours to remove. */
#define TRAMPOLINE "[uprobes-trampoline]"
#define MAX_TRAMPOLINES 64

struct ranges {
	struct {
		uint64_t start, end;
	} all[MAX_TRAMPOLINES];
	size_t count;
};

static void find_trampolines(pid_t pid, struct ranges *found)
{
	_cleanup_free_ char *text = procfs_maps(pid);
	char *rest = text, *line;

	while (rest && found->count < MAX_TRAMPOLINES && (line = strsep(&rest, "\n"))) {
		unsigned long long start, end;
		int at = 0;

		if (sscanf(line, "%llx-%llx %*s %*s %*s %*s %n", &start, &end, &at) != 2 || !at ||
		    strcmp(line + at, TRAMPOLINE))
			continue;
		found->all[found->count].start = start;
		found->all[found->count++].end = end;
	}
}

static bool is_in(const struct ranges *ranges, uint64_t address)
{
	for (size_t i = 0; i < ranges->count; i++) {
		if (address >= ranges->all[i].start && address < ranges->all[i].end)
			return true;
	}
	return false;
}

static void drop_other_calls(pid_t pid, uint64_t moved, struct text_patches *patches)
{
	struct ranges trampolines = {};
	size_t kept = 0;

	if (!patches->count)
		return;
	find_trampolines(pid, &trampolines);
	for (size_t i = 0; i < patches->count; i++) {
		const struct text_patch *patch = &patches->all[i];

		if (patch->kind != TEXT_CALL || is_in(&trampolines, patch->called + moved))
			patches->all[kept++] = *patch;
	}
	patches->count = kept;
}

int text_patches_read(const struct target *target, struct text_patches *patches)
{
	_cleanup_free_ unsigned char *file = malloc(CHUNK + LOOK_AHEAD), *memory = malloc(CHUNK + LOOK_AHEAD);
	struct span span = { .target = target, .file = file, .memory = memory };
	uint64_t sum = 0;
	int err = file && memory ? target_address(target, 0, &span.moved) : -ENOMEM;

	*patches = (struct text_patches){};
	for (size_t i = 0; !err && image_code_segment(target->vm->image, i, &span.address, &span.size); i++) {
		/* Checks each size and the sum, because sizes of a hostile file may overflow. */
		if (span.size > MAX_TEXT || (sum += span.size) > MAX_TEXT)
			return -EFBIG;
		err = compare_segment(&span, patches);
	}
	drop_other_calls(target->pid, span.moved, patches);
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
