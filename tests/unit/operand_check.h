/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of operands share: a site, a few symbols, and comparison field by field. */
#ifndef ERLBPF_TESTS_OPERAND_CHECK_H
#define ERLBPF_TESTS_OPERAND_CHECK_H

#include <stdbool.h>

#include "check.h"
#include "probe/operand.h"

#define CHECK_SITE 0x401000
#define CHECK_SYM 0x404018 /* the address of "sym" */

struct operand_row {
	const char *text;
	struct erl_operand op;
};

struct refused_row {
	const char *text;
	const char *why;
};

void expect_operand(enum arch arch, bool is_translator, const char *text, const struct erl_operand *expected);
void expect_operands(enum arch arch, bool is_translator, const struct operand_row *rows, size_t count);
void expect_refused(enum arch arch, bool is_translator, const struct refused_row *rows, size_t count);

/* What parses: the number of arguments or -EINVAL, the operands in `ops`. */
int check_parse(enum arch arch, bool is_translator, const char *text, struct erl_operand ops[ERL_MAX_ARGS],
		const char **why);

#endif
