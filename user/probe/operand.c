// SPDX-License-Identifier: BSD-2-Clause
/*
 * A recursive-descent parser, one function per rule of the grammar in operand.h. The text comes from
 * ELF files of traced processes and is hostile: every length is bounded, every number checked.
 */
#include "probe/operand.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOL_SIZE 128

struct parser {
	const struct operand_context *context;
	const char *at;
	const char *why;
};

struct reg {
	uint8_t number; /* word in struct pt_regs */
	uint8_t size;
	uint8_t shift;
};

/* Words of struct pt_regs, and the names of their 64, 32, 16 and 8 low bits (System V x86-64). */
static const struct {
	uint8_t number;
	const char *names[4];
	const char *high_byte;
} x86_regs[] = {
	{ 10, { "rax", "eax", "ax", "al" }, "ah" },   { 5, { "rbx", "ebx", "bx", "bl" }, "bh" },
	{ 11, { "rcx", "ecx", "cx", "cl" }, "ch" },   { 12, { "rdx", "edx", "dx", "dl" }, "dh" },
	{ 13, { "rsi", "esi", "si", "sil" }, "" },    { 14, { "rdi", "edi", "di", "dil" }, "" },
	{ 4, { "rbp", "ebp", "bp", "bpl" }, "" },     { 19, { "rsp", "esp", "sp", "spl" }, "" },
	{ 9, { "r8", "r8d", "r8w", "r8b" }, "" },     { 8, { "r9", "r9d", "r9w", "r9b" }, "" },
	{ 7, { "r10", "r10d", "r10w", "r10b" }, "" }, { 6, { "r11", "r11d", "r11w", "r11b" }, "" },
	{ 3, { "r12", "r12d", "r12w", "r12b" }, "" }, { 2, { "r13", "r13d", "r13w", "r13b" }, "" },
	{ 1, { "r14", "r14d", "r14w", "r14b" }, "" }, { 0, { "r15", "r15d", "r15w", "r15b" }, "" },
};

#define X86_RIP 16
#define ARM_SP 31

/* The registers for the first arguments and the return value of a C function. */
static const uint8_t argument_words[2][OPERAND_ARGUMENTS] = {
	[ARCH_X86_64] = { 14, 13, 12, 11, 9, 8 },
	[ARCH_AARCH64] = { 0, 1, 2, 3, 4, 5 },
};

static const uint8_t return_word[2] = { [ARCH_X86_64] = 10, [ARCH_AARCH64] = 0 };

static int fail(struct parser *p, const char *why)
{
	if (!p->why)
		p->why = why;
	return -EINVAL;
}

static bool accept(struct parser *p, const char *token)
{
	size_t n = strlen(token);

	if (strncmp(p->at, token, n))
		return false;
	p->at += n;
	return true;
}

static void skip_blanks(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
}

static bool at_number(const struct parser *p)
{
	const char *c = p->at + (*p->at == '-' || *p->at == '+');

	return isdigit((unsigned char)*c);
}

static int read_number(struct parser *p, int64_t *value)
{
	bool negative = *p->at == '-';
	char *end;
	unsigned long long magnitude;

	p->at += *p->at == '-' || *p->at == '+';
	if (!isdigit((unsigned char)*p->at))
		return fail(p, "a number is missing");
	errno = 0;
	magnitude = strtoull(p->at, &end, 0);
	if (errno || (negative && magnitude > 1ULL << 63))
		return fail(p, "a number is out of range");
	*value = (int64_t)(negative ? 0 - magnitude : magnitude);
	p->at = end;
	return 0;
}

static int read_constant(struct parser *p, struct erl_operand *op)
{
	int64_t value = 0;
	int err = read_number(p, &value);

	op->base = ERL_BASE_CONST;
	op->disp[0] = value;
	return err;
}

static size_t word_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '.' || s[n] == '$' || s[n] == '@')
		n++;
	return n;
}

static int read_word(struct parser *p, char word[SYMBOL_SIZE])
{
	size_t n = word_length(p->at);

	if (!n || n >= SYMBOL_SIZE)
		return fail(p, n ? "a name is too long" : "a name is missing");
	memcpy(word, p->at, n);
	word[n] = '\0';
	p->at += n;
	return 0;
}

static bool find_x86(const char *name, struct reg *reg)
{
	for (size_t i = 0; i < sizeof(x86_regs) / sizeof(*x86_regs); i++) {
		for (uint8_t j = 0; j < 4; j++) {
			if (strcmp(name, x86_regs[i].names[j]))
				continue;
			*reg = (struct reg){ x86_regs[i].number, (uint8_t)(8 >> j), 0 };
			return true;
		}
		if (*x86_regs[i].high_byte && !strcmp(name, x86_regs[i].high_byte)) {
			*reg = (struct reg){ x86_regs[i].number, 1, 8 };
			return true;
		}
	}
	if (strcmp(name, "rip"))
		return false;
	*reg = (struct reg){ X86_RIP, 8, 0 };
	return true;
}

static bool find_arm(const char *name, struct reg *reg)
{
	char *end;
	unsigned long n;

	if (!strcmp(name, "sp") || !strcmp(name, "wsp")) {
		*reg = (struct reg){ ARM_SP, name[0] == 'w' ? 4 : 8, 0 };
		return true;
	}
	if ((name[0] != 'x' && name[0] != 'w') || !isdigit((unsigned char)name[1]))
		return false;
	n = strtoul(name + 1, &end, 10);
	if (*end || n > 30)
		return false;
	*reg = (struct reg){ (uint8_t)n, name[0] == 'w' ? 4 : 8, 0 };
	return true;
}

/* %a0 and similar: names for registers in the translators, on all architectures. */
static bool find_ours(const struct parser *p, const char *name, struct erl_operand *op)
{
	unsigned int n = (unsigned int)(name[1] - '0');

	if (!strcmp(name, "ret")) {
		op->base = ERL_BASE_REG;
		op->reg = return_word[p->context->arch];
		return true;
	}
	if ((name[0] != 'a' && name[0] != 's') || name[2] || n >= (name[0] == 'a' ? OPERAND_ARGUMENTS : ERL_SAVED_ARGS))
		return false;
	op->base = name[0] == 'a' ? ERL_BASE_REG : ERL_BASE_SAVED;
	op->reg = name[0] == 'a' ? argument_words[p->context->arch][n] : (uint8_t)n;
	return true;
}

static int read_register(struct parser *p, struct reg *reg)
{
	char name[SYMBOL_SIZE];

	if (read_word(p, name))
		return -EINVAL;
	if (p->context->arch == ARCH_AARCH64 ? find_arm(name, reg) : find_x86(name, reg))
		return 0;
	return fail(p, strncmp(name, "xmm", 3) ? "a register is unknown" : "floating-point registers cannot be read");
}

static int resolve(struct parser *p, const char *name, int64_t *value)
{
	if (p->context->resolve && !p->context->resolve(p->context->data, name, value))
		return 0;
	return fail(p, "a symbol is not in the file");
}

/* `%REG [, %REG [, SCALE]] )`, after the opening bracket. */
static int parse_x86_base(struct parser *p, struct erl_operand *op)
{
	struct reg base, index;
	int64_t scale = 1;

	if (!accept(p, "%"))
		return fail(p, "a base register is missing");
	if (read_register(p, &base))
		return -EINVAL;
	if (base.size != 8)
		return fail(p, "an address is not in a 64-bit register");
	op->reg = base.number;
	if (accept(p, ",")) {
		skip_blanks(p);
		if (!accept(p, "%") || read_register(p, &index) || index.size != 8 || index.number == X86_RIP)
			return fail(p, "an index register is missing");
		if (accept(p, ",") && (skip_blanks(p), read_number(p, &scale)))
			return -EINVAL;
		if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
			return fail(p, "a scale is not 1, 2, 4 or 8");
		op->has_index = 1;
		op->index_reg = index.number;
		op->index_shift = (uint8_t)__builtin_ctz((unsigned int)scale);
	}
	return accept(p, ")") ? 0 : fail(p, "a closing bracket is missing");
}

/* `sym(%rip)`: the symbol has a fixed distance from the site at any load address. */
static int make_relative(struct parser *p, struct erl_operand *op, bool has_symbol)
{
	if (op->reg != X86_RIP)
		return has_symbol ? fail(p, "a symbol is used without %rip") : 0;
	if (!has_symbol || op->has_index)
		return fail(p, "%rip is used without a symbol");
	op->base = ERL_BASE_IP;
	op->reg = 0;
	op->disp[0] = (int64_t)((uint64_t)op->disp[0] - p->context->site);
	return 0;
}

static int parse_x86_memory(struct parser *p, struct erl_operand *op)
{
	bool has_symbol = false;
	int64_t value, sum = 0;

	/* [NUMBER] [SYMBOL] and the sums of them that compilers write, in any order. */
	while (*p->at && *p->at != '(') {
		char name[SYMBOL_SIZE];

		if (at_number(p)) {
			if (read_number(p, &value))
				return -EINVAL;
		} else {
			accept(p, "+");
			if (read_word(p, name) || resolve(p, name, &value))
				return -EINVAL;
			has_symbol = true;
		}
		sum = (int64_t)((uint64_t)sum + (uint64_t)value);
	}
	if (!accept(p, "("))
		return fail(p, "a base register is missing");
	op->base = ERL_BASE_REG;
	op->steps = 1;
	op->disp[0] = sum;
	if (parse_x86_base(p, op))
		return -EINVAL;
	return make_relative(p, op, has_symbol);
}

static int parse_ours(struct parser *p, struct erl_operand *op);

/* FIELD ( ours ): the steps inside the brackets come first. */
static int parse_field(struct parser *p, struct erl_operand *op)
{
	char name[SYMBOL_SIZE];
	int64_t value;

	if (at_number(p) ? read_number(p, &value) : read_word(p, name) || resolve(p, name, &value))
		return -EINVAL;
	if (!accept(p, "(") || parse_ours(p, op))
		return fail(p, "a field is used without a register");
	if (!accept(p, ")"))
		return fail(p, "a closing bracket is missing");
	if (op->steps == ERL_MAX_STEPS)
		return fail(p, "an operand takes too many loads");
	op->disp[op->steps++] = value;
	return 0;
}

static int parse_ours(struct parser *p, struct erl_operand *op)
{
	char name[SYMBOL_SIZE] = "";

	if (!accept(p, "%"))
		return parse_field(p, op);
	if (read_word(p, name))
		return -EINVAL;
	return find_ours(p, name, op) ? 0 : fail(p, "a register is unknown");
}

static int parse_x86(struct parser *p, struct erl_operand *op)
{
	struct reg reg;

	if (accept(p, "$"))
		return read_constant(p, op);
	if (!accept(p, "%"))
		return parse_x86_memory(p, op);
	if (read_register(p, &reg))
		return -EINVAL;
	if (reg.number == X86_RIP)
		return fail(p, "%rip is not an argument");
	op->base = ERL_BASE_REG;
	op->reg = reg.number;
	op->value_shift = reg.shift;
	return 0;
}

/* [ REG ], [ REG , NUMBER ] and [ REG , #:lo12:SYMBOL ], after the opening bracket. */
static int parse_arm_memory(struct parser *p, struct erl_operand *op)
{
	char name[SYMBOL_SIZE];
	struct reg reg;
	int64_t value = 0;

	if (read_register(p, &reg))
		return -EINVAL;
	if (reg.size != 8)
		return fail(p, "an address is not in a 64-bit register");
	if (accept(p, ",")) {
		skip_blanks(p);
		accept(p, "#");
		if (accept(p, ":lo12:")) {
			if (read_word(p, name) || resolve(p, name, &value))
				return -EINVAL;
			/* Mappings are page-aligned, so the low bits are those in the file. */
			value &= 0xfff;
		} else if (read_number(p, &value)) {
			return -EINVAL;
		}
	}
	op->base = ERL_BASE_REG;
	op->reg = reg.number;
	op->steps = 1;
	op->disp[0] = value;
	return accept(p, "]") ? 0 : fail(p, "a closing bracket is missing");
}

static int parse_arm(struct parser *p, struct erl_operand *op)
{
	struct reg reg;

	if (accept(p, "["))
		return parse_arm_memory(p, op);
	accept(p, "#");
	if (at_number(p))
		return read_constant(p, op);
	if (read_register(p, &reg))
		return -EINVAL;
	op->base = ERL_BASE_REG;
	op->reg = reg.number;
	return 0;
}

static int parse_size(struct parser *p, struct erl_operand *op)
{
	int64_t size = 0;

	if (read_number(p, &size))
		return -EINVAL;
	op->is_signed = size < 0;
	if (size < 0 && size >= -8)
		size = -size;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return fail(p, "a size is not 1, 2, 4 or 8");
	op->size = (uint8_t)size;
	if (*p->at == 'f')
		return fail(p, "floating-point arguments cannot be read");
	return accept(p, "@") ? 0 : fail(p, "'@' is missing");
}

#define SMALL_TAG_BITS 4 /* of a small integer (erl_term.h) */

/* After "small". */
static int parse_small(struct parser *p, struct erl_operand *op)
{
	if (parse_ours(p, op))
		return -EINVAL;
	if (!op->steps)
		return fail(p, "'small' needs a field");
	op->value_shift = SMALL_TAG_BITS;
	return accept(p, ")") ? 0 : fail(p, "a closing bracket is missing");
}

static int parse_argument(struct parser *p, struct erl_operand *op)
{
	int err = parse_size(p, op);

	if (err)
		return err;
	if (p->context->is_translator) {
		if (accept(p, "$"))
			return read_constant(p, op);
		if (accept(p, "small("))
			return parse_small(p, op);
		op->address_of = accept(p, "&");
		err = parse_ours(p, op);
		if (!err && op->address_of && !op->steps)
			return fail(p, "'&' needs a field");
		return err;
	}
	return p->context->arch == ARCH_AARCH64 ? parse_arm(p, op) : parse_x86(p, op);
}

int operand_parse(const struct operand_context *context, const char **text, struct erl_operand *op, const char **why)
{
	struct parser p = { .context = context, .at = *text };
	int err;

	memset(op, 0, sizeof(*op));
	skip_blanks(&p);
	err = parse_argument(&p, op);
	if (!err && *p.at && *p.at != ' ' && *p.at != '\t')
		err = fail(&p, "there is text after an operand");
	skip_blanks(&p);
	*text = p.at;
	*why = p.why;
	return err;
}

int operand_parse_all(const struct operand_context *context, const char *text, struct erl_operand ops[ERL_MAX_ARGS],
		      const char **why)
{
	int count = 0;

	*why = NULL;
	text += strspn(text, " \t");
	while (*text) {
		if (count == ERL_MAX_ARGS) {
			*why = "there are too many arguments";
			return -EINVAL;
		}
		if (operand_parse(context, &text, &ops[count], why))
			return -EINVAL;
		count++;
	}
	return count;
}

static const char *word_name(uint8_t number, enum arch arch, char *buf)
{
	if (arch == ARCH_AARCH64) {
		snprintf(buf, 8, number == ARM_SP ? "sp" : "x%u", number);
		return buf;
	}
	for (size_t i = 0; i < sizeof(x86_regs) / sizeof(*x86_regs); i++) {
		if (x86_regs[i].number == number)
			return x86_regs[i].names[0];
	}
	return "?";
}

const char *operand_format(const struct erl_operand *op, enum arch arch, char *buf)
{
	char name[8], index[8], inner[64];
	int n;

	switch (op->base) {
	case ERL_BASE_NONE: return strcpy(buf, "-");
	case ERL_BASE_CONST: snprintf(buf, 64, "%lld", (long long)op->disp[0]); return buf;
	case ERL_BASE_REG: snprintf(inner, sizeof(inner), "%s", word_name(op->reg, arch, name)); break;
	case ERL_BASE_IP: snprintf(inner, sizeof(inner), "site"); break;
	default: snprintf(inner, sizeof(inner), "entry arg%u", op->reg);
	}
	if (op->has_index && (n = (int)strlen(inner)) < 40)
		snprintf(inner + n, sizeof(inner) - (size_t)n, "+%s*%d", word_name(op->index_reg, arch, index),
			 1 << op->index_shift);
	for (int i = 0; i < op->steps; i++) {
		snprintf(buf, 64, "%s%.40s%+lld%s", i + 1 == op->steps && op->address_of ? "&" : "[", inner,
			 (long long)op->disp[i], i + 1 == op->steps && op->address_of ? "" : "]");
		snprintf(inner, sizeof(inner), "%.63s", buf);
	}
	if (op->value_shift)
		snprintf(buf, 64, "%.58s>>%u", inner, (unsigned int)op->value_shift);
	else
		snprintf(buf, 64, "%s", inner);
	return buf;
}
