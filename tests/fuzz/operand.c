// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any text as the arguments of a note, on either architecture, or as those of a translator. The
 * first byte says which; the rest is the text. Operands that are taken make sense to BPF programs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/operand.h"
#include "fuzz.h"

/* A name is a symbol if it is longer than one letter; its value is made of its letters. */
static int resolve(void *data, const char *name, int64_t *value)
{
	uint64_t sum = 0;

	(void)data;
	if (strlen(name) < 2)
		return -1;
	for (; *name; name++)
		sum = sum * 31 + (unsigned char)*name;
	*value = (int64_t)sum;
	return 0;
}

static void check_operand(const struct erl_operand *op, enum arch arch)
{
	char text[64 + 1];

	must(op->base >= ERL_BASE_CONST && op->base <= ERL_BASE_SAVED, "there is a base");
	must(op->reg <= (arch == ARCH_AARCH64 ? 31 : 20), "the register is a word of pt_regs");
	must(op->index_reg <= 20 && op->has_index <= 1, "the index is a word of pt_regs");
	must(op->index_shift <= 3, "the scale is 1, 2, 4 or 8");
	must(op->value_shift == 0 || op->value_shift == 8 || (op->value_shift == 4 && op->steps),
	     "the value is shifted by a byte, or what is loaded by the tag of a small integer, or not");
	must(op->size == 1 || op->size == 2 || op->size == 4 || op->size == 8, "the size is known");
	must(op->steps <= ERL_MAX_STEPS, "there are not too many loads");
	must(!op->address_of || op->steps, "an address is that of a field");
	must(op->base != ERL_BASE_CONST || !op->steps, "nothing is loaded from a constant");
	must(op->base != ERL_BASE_SAVED || op->reg < ERL_SAVED_ARGS, "the argument was saved");
	memset(text, '!', sizeof(text));
	operand_format(op, arch, text);
	must(memchr(text, '\0', 64) && text[64] == '!', "the text fits into its buffer");
}

static void fuzz(const uint8_t *data, size_t size)
{
	struct operand_context context = { .site = 0x401000, .resolve = resolve };
	struct erl_operand ops[ERL_MAX_ARGS];
	const char *why = NULL;
	char *text;
	int count;

	if (!size)
		return;
	context.arch = data[0] & 1 ? ARCH_AARCH64 : ARCH_X86_64;
	context.is_translator = data[0] & 2;
	text = fuzz_text(data + 1, size - 1);
	count = operand_parse_all(&context, text, ops, &why);
	must(count <= ERL_MAX_ARGS, "there are not too many arguments");
	must((count < 0) == (why != NULL), "there is a reason if and only if it is refused");
	for (int i = 0; i < count; i++)
		check_operand(&ops[i], context.arch);
	free(text);
}
