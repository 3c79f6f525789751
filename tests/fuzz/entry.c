// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as the code of a function of x86-64: where a probe is cheap, and whether an instruction begins at a place.
 * A probe within an instruction breaks the process, so whoever says that one begins there is asked again, by walking.
 */
#include <errno.h>

#include "fuzz.h"
#include "probe/code/entry.h"
#include "probe/code/instruction.h"
#include "probe/code/x86.h"

static struct {
	const uint8_t *bytes;
	size_t size;
} code;

#define ADDRESS 0x1000

/* In place of image.c. */
int image_read(const struct image *image, uint64_t address, void *buf, size_t size)
{
	(void)image;
	(void)address;
	memset(buf, 0, size);
	return 0;
}

enum arch image_arch(const struct image *image)
{
	(void)image;
	return ARCH_X86_64;
}

int image_read_code(const struct image *image, uint64_t address, void *buf, size_t size)
{
	(void)image;
	if (address < ADDRESS || size > code.size || address - ADDRESS > code.size - size)
		return -ENOENT;
	memcpy(buf, code.bytes + (address - ADDRESS), size);
	return 0;
}

static bool begins(size_t offset)
{
	size_t at = 0, n = 1;

	while (n && at < offset) {
		n = x86_size(code.bytes + at, code.size - at);
		at += n;
	}
	return n && at == offset;
}

static void check_place(void)
{
	struct entry_place place;
	struct x86 x;

	if (!entry_find_cheap(NULL, ADDRESS, code.size, &place))
		return;
	must(begins(place.offset), "an instruction begins where a probe goes");
	must(x86_read(&x, code.bytes + place.offset, code.size - place.offset), "the instruction of a probe is known");
	must(x86_is_emulated(&x), "the instruction of a probe is emulated");
	must(!instruction_is_stepped(ARCH_X86_64, code.bytes + place.offset, code.size - place.offset),
	     "what is emulated is not stepped");
	for (size_t i = 0; i < ENTRY_REGISTERS; i++)
		must(place.now[i] == ENTRY_LOST || place.now[i] < ENTRY_REGISTERS, "a value is in a register, or lost");
}

static void check_instruction(size_t offset)
{
	unsigned char first[INSTRUCTION_LONGEST];
	size_t size = instruction_read_code(NULL, ADDRESS + offset, first);
	struct x86 x;

	must(size <= code.size - offset, "no more is read than there is");
	if (instruction_can_be_probed(NULL, ADDRESS + offset))
		must(x86_read(&x, first, size) && !x86_is_refused(&x), "what is probed is known, and not refused");
	if (offset && offset < code.size)
		must(instruction_begins(NULL, ADDRESS, code.size, offset) == begins(offset),
		     "instructions begin where they begin");
}

static void fuzz(const uint8_t *data, size_t size)
{
	/* Of exactly that size: what is read behind it is seen. */
	char *copy = fuzz_text(data, size);

	code.bytes = memcpy(malloc(size + !size), copy, size);
	code.size = size;
	check_place();
	for (size_t offset = 0; offset < size && offset < 64; offset++)
		check_instruction(offset);
	instruction_is_stepped(ARCH_AARCH64, code.bytes, size);
	free((void *)(uintptr_t)code.bytes);
	free(copy);
}
