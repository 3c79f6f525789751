// SPDX-License-Identifier: BSD-2-Clause
/*
 * process_main() of beam_emu.c keeps the end of the process's stack (E) in a register that the compiler chooses. It
 * loads it from the process in many places, and that is how the register is found.
 */
#include "erlang/emulator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "node/memory/fields.h"
#include "target/image/image.h"
#include "target/reader/procfs.h"

#define REGISTERS 16
#define MOST_CODE (1 << 20)
#define LEAST_LOADS 8

#define LONGEST_LOAD 8
#define NO_INDEX 0x24 /* the byte that follows if the base is r12 */

/* mov DISP(%BASE), %REGISTER with 64 bits, where DISP is one byte or four. -1: it is none. */
static int loaded_register(const unsigned char *code, uint32_t offset)
{
	unsigned int mode = code[2] >> 6, base = code[2] & 7;
	const unsigned char *place = code + 3 + (base == 4);
	uint32_t far;

	memcpy(&far, place, sizeof(far));
	if ((code[0] & 0xf8) != 0x48 || code[1] != 0x8b || (base == 4 && (code[3] != NO_INDEX || !(code[0] & 1))))
		return -1;
	if (!(mode == 1 && offset < 0x80 && *place == offset) && !(mode == 2 && far == offset))
		return -1;
	return (code[2] >> 3 & 7) | (code[0] & 4) << 1;
}

int emulator_register(const unsigned char *code, size_t size, uint32_t offset)
{
	size_t loads[REGISTERS] = {}, all = 0;
	int best = 0;

	for (size_t i = 0; i + LONGEST_LOAD <= size; i++) {
		int number = loaded_register(code + i, offset);

		if (number < 0)
			continue;
		all++;
		if (++loads[number] > loads[best])
			best = number;
	}
	return all >= LEAST_LOADS && loads[best] * 2 > all ? best : -ENOENT;
}

/* As a word of struct pt_regs. */
static uint64_t find_stack(const struct target *target, const unsigned char *code, size_t size)
{
	static const unsigned char words[REGISTERS] = { 10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0 };
	int64_t stop;
	int number = -ENOENT;

	if (image_arch(target->vm->image) == ARCH_X86_64 && !field_offset(target->vm, "process.stop", &stop))
		number = emulator_register(code, size, (uint32_t)stop);
	return number < 0 ? SAMPLE_NO_REGISTER : words[number];
}

int emulator_read(const struct target *target, struct sample_node *node)
{
	const struct image_symbol *symbol = image_symbol(target->vm->image, "process_main");
	_cleanup_free_ unsigned char *code = NULL;
	uint64_t start;
	int err;

	if (!symbol || !symbol->size || symbol->size > MOST_CODE)
		return -ENOENT;
	code = malloc(symbol->size);
	if (!code)
		return -ENOMEM;
	err = target_address(target, symbol->address, &start);
	if (!err)
		err = image_read_code(target->vm->image, symbol->address, code, symbol->size);
	if (err)
		return err;
	node->loop = (struct sample_range){ start, start + symbol->size };
	node->stack_register = find_stack(target, code, symbol->size);
	return 0;
}
