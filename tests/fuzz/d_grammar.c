// SPDX-License-Identifier: BSD-2-Clause
/*
 * Random D programs that mostly make sense: bytes decide which way the grammar goes, so that the fuzzer, and
 * what its input becomes when it is changed a little, stays within the language. With -DPRINT it is a program that
 * prints the program of a seed, for the tests that run them: d-grammar SEED.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 4
#define MOST_TEXT 16384 /* after that, the shortest ways are taken */

struct grammar {
	const uint8_t *data;
	size_t size, at;
	FILE *to;
	int depth;
	int printed; /* characters, about */
};

static char *grammar_text(const uint8_t *data, size_t size, size_t *length);

/* 0 when the input is used up, so 0 is always the shortest way. */
static unsigned int pick(struct grammar *g, unsigned int count)
{
	if (g->at >= g->size || g->printed > MOST_TEXT)
		return 0;
	return g->data[g->at++] % count;
}

static void put(struct grammar *g, const char *text)
{
	g->printed += fprintf(g->to, "%s", text);
}

#define PUT_ONE_OF(g, ...)                                                                                             \
	do {                                                                                                           \
		static const char *const choices[] = { __VA_ARGS__ };                                                  \
		put(g, choices[pick(g, sizeof(choices) / sizeof(*choices))]);                                          \
	} while (0)

static void put_number(struct grammar *g);
static void put_string(struct grammar *g);

static void put_constant(struct grammar *g)
{
	PUT_ONE_OF(g, "0", "1", "2", "-1", "7", "10", "'a'", "0xff", "255", "256", "65536", "0x7fffffff",
		   "-2147483648LL", "4294967295", "0x7fffffffffffffff", "0xffffffffffffffff", "1ULL", "$1",
		   "sizeof (int)", "sizeof (struct s)", "RED", "BLUE", "offsetof(struct s, c)");
}

static void put_variable(struct grammar *g)
{
	PUT_ONE_OF(g, "i0", "i1", "l0", "c0", "u0", "self->i", "this->i", "s0.a", "s0.b", "s0.bits", "g0[1]");
}

static void put_builtin(struct grammar *g)
{
	PUT_ONE_OF(g, "arg0", "arg1", "pid", "tid", "uid", "timestamp", "walltimestamp", "cpu", "id", "epid", "arg9",
		   "ppid", "stackdepth");
}

static void put_list(struct grammar *g, void (*first)(struct grammar *), void (*second)(struct grammar *))
{
	put(g, "(");
	first(g);
	put(g, ", ");
	second(g);
	put(g, ")");
}

static void put_indexed(struct grammar *g)
{
	switch (pick(g, 4)) {
	case 0:
		put(g, "an[");
		put_number(g);
		put(g, "]");
		break;
	case 1:
		put(g, "as[");
		put_string(g);
		put(g, "]");
		break;
	case 2:
		put(g, "am[");
		put_string(g);
		put(g, ", ");
		put_number(g);
		put(g, "]");
		break;
	default:
		put(g, "self->a[");
		put_number(g);
		put(g, "]");
		break;
	}
}

static void put_binary(struct grammar *g)
{
	put(g, "(");
	put_number(g);
	PUT_ONE_OF(g, " + ", " - ", " * ", " / ", " % ", " & ", " | ", " ^ ", " << ", " >> ", " < ", " <= ", " > ",
		   " >= ", " == ", " != ", " && ", " || ", " ^^ ", ", ");
	put_number(g);
	put(g, ")");
}

static void put_call(struct grammar *g)
{
	switch (pick(g, 8)) {
	case 0:
		put(g, "strlen(");
		put_string(g);
		put(g, ")");
		break;
	case 1:
		put(g, "index");
		put_list(g, put_string, put_string);
		break;
	case 2:
		put(g, "rindex");
		put_list(g, put_string, put_string);
		break;
	case 3:
		put(g, "strtoll(");
		put_string(g);
		put(g, ")");
		break;
	case 4:
		put(g, "htonl(");
		put_number(g);
		put(g, ")");
		break;
	case 5: put(g, "rand()"); break;
	case 6: put(g, "speculation()"); break;
	default:
		put(g, "*(int *)copyin");
		put_list(g, put_number, put_constant);
		break;
	}
}

static void put_assignment(struct grammar *g)
{
	if (pick(g, 3))
		put_variable(g);
	else
		put_indexed(g);
	PUT_ONE_OF(g, " = ", " += ", " -= ", " *= ", " /= ", " %= ", " &= ", " |= ", " ^= ", " <<= ", " >>= ");
	put_number(g);
}

/* Inlines and translators, and types in expressions: what is written small and is large behind the parser. */
static void put_expanded(struct grammar *g)
{
	static const struct {
		const char *before, *behind;
	} forms[] = {
		{ "twice[", "]" },   { "power[", "]" }, { "xlate <struct t> (", ").x" },
		{ "sizeof (", ")" }, { "(i0, ", ")" },	{ "((gfp_t)", ")" },
		{ "((", "))" },	     { "(i0 = ", ")" },
	};
	unsigned int form = pick(g, sizeof(forms) / sizeof(*forms));

	put(g, forms[form].before);
	put_number(g);
	put(g, forms[form].behind);
}

static void put_compound_number(struct grammar *g)
{
	switch (pick(g, 11)) {
	case 0:
	case 1: put_binary(g); break;
	case 2:
		PUT_ONE_OF(g, "-", "~", "!", "+");
		put_number(g);
		break;
	case 3:
		put(g, "(");
		put_number(g);
		put(g, " ? ");
		put_number(g);
		put(g, " : ");
		put_number(g);
		put(g, ")");
		break;
	case 4:
		PUT_ONE_OF(g, "(char)", "(unsigned short)", "(int)", "(uint64_t)", "(long)");
		put_number(g);
		break;
	case 5: put_call(g); break;
	case 6: put_indexed(g); break;
	case 7:
		PUT_ONE_OF(g, "++", "--");
		put_variable(g);
		break;
	case 8:
		put(g, "(");
		put_assignment(g);
		put(g, ")");
		break;
	case 9: put_expanded(g); break;
	default:
		put(g, "(");
		put_string(g);
		PUT_ONE_OF(g, " == ", " < ", " >= ", " != ");
		put_string(g);
		put(g, ")");
		break;
	}
}

static void put_number(struct grammar *g)
{
	if (g->depth >= DEPTH || !pick(g, 2)) {
		switch (pick(g, 3)) {
		case 0: put_constant(g); return;
		case 1: put_variable(g); return;
		default: put_builtin(g); return;
		}
	}
	g->depth++;
	put_compound_number(g);
	g->depth--;
}

static void put_simple_string(struct grammar *g)
{
	PUT_ONE_OF(g, "\"\"", "\"a\"", "\"lists:seq/2\"", "\"\\x41\\n\\t\\\"\"", "str", "self->s", "this->s",
		   "execname", "probename", "probefunc", "$$2", "\"{\\\"a\\\": [1, {\\\"b\\\": 2}]}\"",
		   "stringof(s0.name)");
}

static void put_compound_string(struct grammar *g)
{
	switch (pick(g, 9)) {
	case 0:
		put(g, "strjoin");
		put_list(g, put_string, put_string);
		break;
	case 1:
		put(g, "substr");
		put_list(g, put_string, put_number);
		break;
	case 2:
		put(g, "strtok");
		put_list(g, put_string, put_string);
		break;
	case 3:
		PUT_ONE_OF(g, "basename(", "dirname(", "cleanpath(", "toupper(", "tolower(");
		put_string(g);
		put(g, ")");
		break;
	case 4:
		put(g, "lltostr(");
		put_number(g);
		put(g, ")");
		break;
	case 5:
		put(g, "strstr");
		put_list(g, put_string, put_string);
		break;
	case 6:
		put(g, "copyinstr(");
		put_number(g);
		put(g, ")");
		break;
	case 7:
		put(g, "(");
		put_number(g);
		put(g, " ? ");
		put_string(g);
		put(g, " : ");
		put_string(g);
		put(g, ")");
		break;
	default:
		put(g, "json");
		put_list(g, put_string, put_string);
		break;
	}
}

static void put_string(struct grammar *g)
{
	if (g->depth >= DEPTH || !pick(g, 2)) {
		put_simple_string(g);
		return;
	}
	g->depth++;
	put_compound_string(g);
	g->depth--;
}

/* An aggregation always has the function and the keys that go with its name. */
static void put_aggregation(struct grammar *g)
{
	switch (pick(g, 8)) {
	case 0: put(g, "@ = count()"); break;
	case 1:
		put(g, "@sum[");
		put_string(g);
		put(g, "] = sum(");
		put_number(g);
		put(g, ")");
		break;
	case 2:
		put(g, "@q[");
		put_number(g);
		put(g, "] = quantize(");
		put_number(g);
		put(g, ")");
		break;
	case 3:
		put(g, "@l = lquantize(");
		put_number(g);
		put(g, ", -10, 100, 5)");
		break;
	case 4:
		put(g, "@ll = llquantize(");
		put_number(g);
		put(g, ", 10, 0, 6, 20)");
		break;
	case 5:
		put(g, "@avg[");
		put_string(g);
		put(g, ", ");
		put_number(g);
		put(g, "] = avg(");
		put_number(g);
		put(g, ")");
		break;
	case 6:
		put(g, "@dev = stddev(");
		put_number(g);
		put(g, ")");
		break;
	default:
		PUT_ONE_OF(g, "@min = min(", "@max = max(");
		put_number(g);
		put(g, ")");
		break;
	}
}

static void put_printf(struct grammar *g)
{
	switch (pick(g, 5)) {
	case 0: put(g, "printf(\"text\\n\")"); break;
	case 1:
		put(g, "printf(\"%d %x\\n\", ");
		put_number(g);
		put(g, ", ");
		put_number(g);
		put(g, ")");
		break;
	case 2:
		put(g, "printf(\"%s|%-10.3s\", ");
		put_string(g);
		put(g, ", ");
		put_string(g);
		put(g, ")");
		break;
	case 3:
		put(g, "printf(\"%*d%c\", ");
		put_number(g);
		put(g, ", ");
		put_number(g);
		put(g, ", ");
		put_number(g);
		put(g, ")");
		break;
	default:
		put(g, "printf(\"%S %Y %p\", ");
		put_string(g);
		put(g, ", ");
		put_number(g);
		put(g, ", ");
		put_number(g);
		put(g, ")");
		break;
	}
}

static void put_action(struct grammar *g)
{
	switch (pick(g, 11)) {
	case 0: put_printf(g); break;
	case 1:
		put(g, "trace(");
		put_number(g);
		put(g, ")");
		break;
	case 2:
		put(g, "trace(");
		put_string(g);
		put(g, ")");
		break;
	case 3:
		PUT_ONE_OF(g, "printa(@)", "printa(\"%@d\", @)", "printa(@sum)", "printa(\"%s %@d\\n\", @sum)",
			   "printa(@q)");
		break;
	case 4:
		PUT_ONE_OF(g, "clear(@)", "trunc(@sum)", "trunc(@sum, 3)", "normalize(@q, 10)", "denormalize(@q)");
		break;
	case 5: PUT_ONE_OF(g, "speculate(i0)", "commit(i0)", "discard(i0)"); break;
	case 6: PUT_ONE_OF(g, "ustack()", "ustack(3)", "stack()", "usym(arg1)", "uaddr(arg1)", "umod(arg1)"); break;
	case 7:
		put(g, "tracemem(");
		put_number(g);
		put(g, ", 16)");
		break;
	case 8: put(g, "print(s0)"); break;
	case 9:
		put(g, "exit(");
		put_number(g);
		put(g, ")");
		break;
	default:
		put(g, "this->p = (int *)alloca(16); this->p[");
		put_number(g);
		put(g, "] = ");
		put_number(g);
		break;
	}
}

static void put_statement(struct grammar *g)
{
	switch (pick(g, 6)) {
	case 0:
	case 1: put_assignment(g); break;
	case 2:
		PUT_ONE_OF(g, "str", "self->s", "this->s");
		put(g, " = ");
		put_string(g);
		break;
	case 3: put_aggregation(g); break;
	case 4: put_action(g); break;
	default:
		if (g->depth >= DEPTH) {
			put_number(g);
			break;
		}
		g->depth++;
		put(g, "if (");
		put_number(g);
		put(g, ") { ");
		put_statement(g);
		put(g, " } else { ");
		put_statement(g);
		put(g, " }");
		g->depth--;
		break;
	}
	put(g, ";");
}

static void put_clause(struct grammar *g)
{
	PUT_ONE_OF(g, "BEGIN", "END", "tick-10ms", "ERROR", "profile-97", "BEGIN, END", "dtrace:::BEGIN", "tick-1");
	if (!pick(g, 3)) {
		put(g, "\n/");
		put_binary(g);
		put(g, "/");
	}
	put(g, "\n{\n");
	for (unsigned int i = 1 + pick(g, 8); i; i--) {
		put(g, "\t");
		put_statement(g);
		put(g, "\n");
	}
	put(g, "}\n\n");
}

/* Without these, most programs are refused: a word that nobody uses, an aggregation that nothing is put in. */
static void put_uses(struct grammar *g)
{
	put(g, "BEGIN\n/$1 == 0 && $$2 == \"\"/\n{\n");
	if (!pick(g, 8)) {
		put(g, "}\n\n");
		return;
	}
	put(g, "\t@ = count(); @sum[\"a\"] = sum(1); @q[1] = quantize(1); @l = lquantize(1, -10, 100, 5);\n"
	       "\t@ll = llquantize(1, 10, 0, 6, 20); @avg[\"a\", 1] = avg(1); @dev = stddev(1); @min = min(1);\n"
	       "\t@max = max(1);\n}\n\n");
}

/* NUL-terminated. */
static char *grammar_text(const uint8_t *data, size_t size, size_t *length)
{
	struct grammar g = { .data = data, .size = size };
	char *text = NULL;

	g.to = open_memstream(&text, length);
	if (!g.to)
		abort();
	put(&g, "enum color { RED, GREEN = 5, BLUE };\n"
		"struct s { char a; long b; int c; unsigned int bits:5; char name[8]; };\n"
		"struct t { int x; }; translator struct t < int I > { x = I + 1; };\n"
		"inline int twice[int x] = x + x; inline int power[int x] = twice[x] * x;\n"
		"struct s s0; int i0; int i1; long l0; char c0; unsigned int u0; int g0[4]; string str;\n"
		"int an[int]; int as[string]; long am[string, int]; self int i; self string s; self int a[int];\n"
		"this int i; this string s;\n\n");
	put_uses(&g);
	for (unsigned int i = 1 + pick(&g, 6); i; i--)
		put_clause(&g);
	fclose(g.to);
	return text;
}

#ifdef PRINT

int main(int argc, char **argv)
{
	uint64_t x = argc > 1 ? strtoull(argv[1], NULL, 0) * 0x9e3779b97f4a7c15 + 1 : 1;
	uint8_t data[512];
	size_t length;
	char *text;

	for (size_t i = 0; i < sizeof(data); i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		data[i] = (uint8_t)(x >> 32);
	}
	text = grammar_text(data, sizeof(data), &length);
	/* It ends, whatever it does. */
	printf("%stick-50ms { exit(0); }\n", text);
	free(text);
	return 0;
}

#else

#include "d_compile.h"

static void fuzz(const uint8_t *data, size_t size)
{
	size_t length;
	char *text = grammar_text(data, size, &length);

	compile_and_build(text, length);
	free(text);
}

#endif
