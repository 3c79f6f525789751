// SPDX-License-Identifier: BSD-2-Clause
#include "operand_check.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name;
	int64_t value;
} symbols[] = {
	{ "sym", CHECK_SYM },	     { "_under_score", 0x404020 },   { "dotted.name.0", 0x404028 },
	{ "dollar$name", 0x404030 }, { "versioned@@V_1", 0x404038 }, { "process.id", 0 },
	{ "process.flags", 288 },    { "nif_env.proc", 8 },	     { "outer", 24 },
};

static int resolve(void *data, const char *name, int64_t *value)
{
	(void)data;
	for (size_t i = 0; i < COUNT(symbols); i++) {
		if (strcmp(symbols[i].name, name))
			continue;
		*value = symbols[i].value;
		return 0;
	}
	return -ENOENT;
}

int check_parse(enum arch arch, bool is_translator, const char *text, struct erl_operand ops[ERL_MAX_ARGS],
		const char **why)
{
	struct operand_context context = {
		.arch = arch,
		.is_translator = is_translator,
		.site = CHECK_SITE,
		.resolve = resolve,
	};

	return operand_parse_all(&context, text, ops, why);
}

static void compare(const struct erl_operand *op, const struct erl_operand *expected, const char *text)
{
	cr_expect(eq(u8, op->base, expected->base), "base of %s", text);
	cr_expect(eq(u8, op->reg, expected->reg), "register of %s", text);
	cr_expect(eq(u8, op->has_index, expected->has_index), "has_index of %s", text);
	cr_expect(eq(u8, op->index_reg, expected->index_reg), "index of %s", text);
	cr_expect(eq(u8, op->index_shift, expected->index_shift), "scale of %s", text);
	cr_expect(eq(u8, op->value_shift, expected->value_shift), "value_shift of %s", text);
	cr_expect(eq(u8, op->size, expected->size), "size of %s", text);
	cr_expect(eq(u8, op->is_signed, expected->is_signed), "sign of %s", text);
	cr_expect(eq(u8, op->steps, expected->steps), "steps of %s", text);
	cr_expect(eq(u8, op->address_of, expected->address_of), "address_of of %s", text);
	for (int i = 0; i < ERL_MAX_STEPS; i++)
		cr_expect(eq(i64, op->disp[i], expected->disp[i]), "disp[%d] of %s", i, text);
}

void expect_operand(enum arch arch, bool is_translator, const char *text, const struct erl_operand *expected)
{
	struct erl_operand ops[ERL_MAX_ARGS];
	const char *why = NULL;

	cr_expect(eq(int, check_parse(arch, is_translator, text, ops, &why), 1), "%s: %s", text, why ? why : "");
	expect_text(why, NULL, "reason for %s", text);
	compare(&ops[0], expected, text);
}

void expect_operands(enum arch arch, bool is_translator, const struct operand_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		expect_operand(arch, is_translator, rows[i].text, &rows[i].op);
}

void expect_refused(enum arch arch, bool is_translator, const struct refused_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct erl_operand ops[ERL_MAX_ARGS];
		const char *why = NULL;
		int err = check_parse(arch, is_translator, rows[i].text, ops, &why);

		cr_expect(eq(int, err, -EINVAL), "%s", rows[i].text);
		expect_text(why, rows[i].why, "%s", rows[i].text);
	}
}
