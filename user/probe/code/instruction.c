// SPDX-License-Identifier: BSD-2-Clause
#include "probe/code/instruction.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/code/x86.h"

#define LONGEST_FUNCTION (1u << 20)

bool instruction_begins(const struct image *image, uint64_t address, uint64_t size, uint64_t offset)
{
	_cleanup_free_ unsigned char *code = NULL;
	size_t at = 0, n = 1;

	if (!offset)
		return true;
	if (offset >= size || size > LONGEST_FUNCTION)
		return false;
	if (image_arch(image) != ARCH_X86_64)
		return offset % 4 == 0;
	code = malloc(size);
	if (!code || image_read_code(image, address, code, size))
		return false;
	for (; n && at < offset; at += n)
		n = x86_size(code + at, size - at);
	return n && at == offset;
}

int instruction_each(const struct image *image, uint64_t address, uint64_t size,
		     int (*visit)(void *data, uint64_t offset), void *data)
{
	bool is_x86 = image_arch(image) == ARCH_X86_64;
	_cleanup_free_ unsigned char *code = NULL;
	size_t at = 0, n = 4;
	int err;

	if (size > LONGEST_FUNCTION)
		return -E2BIG;
	code = malloc(size + 1);
	if (!code)
		return -ENOMEM;
	err = image_read_code(image, address, code, size);
	for (; !err && at < size; at += n) {
		if (is_x86)
			n = x86_size(code + at, size - at);
		if (!n)
			break;
		err = visit(data, at);
	}
	return err;
}

size_t instruction_read_code(const struct image *image, uint64_t address, unsigned char code[INSTRUCTION_LONGEST])
{
	size_t size = INSTRUCTION_LONGEST;

	while (size && image_read_code(image, address, code, size))
		size--;
	return size;
}

bool instruction_is_nop5(const unsigned char *code, size_t size)
{
	static const unsigned char nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	return size >= sizeof(nop5) && !memcmp(code, nop5, sizeof(nop5));
}

bool instruction_can_be_probed(const struct image *image, uint64_t address)
{
	unsigned char code[INSTRUCTION_LONGEST];
	size_t size = instruction_read_code(image, address, code);
	struct x86 x;

	if (image_arch(image) != ARCH_X86_64)
		return size;
	return x86_read(&x, code, size) && !x86_is_refused(&x) && !instruction_is_nop5(code, size);
}

/* For aarch64, see arch/arm64/kernel/probes/decode-insn.c. */
bool instruction_is_stepped(enum arch arch, const unsigned char *code, size_t left)
{
	struct x86 x;
	uint32_t word;

	if (arch == ARCH_X86_64)
		return !x86_read(&x, code, left) || !x86_is_emulated(&x);
	if (left < sizeof(word))
		return true;
	memcpy(&word, code, sizeof(word));
	/* Hints except nop are stepped, such as paciasp and bti at the start of functions. */
	return word != 0xd503201f && (word & 0x7c000000) != 0x14000000 && (word & 0x1f000000) != 0x10000000;
}
