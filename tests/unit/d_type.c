// SPDX-License-Identifier: BSD-2-Clause
/* The compiler that builds this test says how structs lie in memory. */
#include "d/types/type.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "d_tree.h"

static struct tree *empty(void)
{
	return tree_new("");
}

Test(d_type, names_have_sizes)
{
	static const struct {
		const char *name, *text;
		size_t size;
		bool is_signed;
	} rows[] = {
		{ "char", "char", 1, true },
		{ "unsigned", "unsigned int", 4, false },
		{ "long int", "long", 8, true },
		{ "unsigned long long", "unsigned long long", 8, false },
		{ "int8_t", "int8_t", 1, true },
		{ "uint64_t", "uint64_t", 8, false },
		{ "size_t", "size_t", 8, false },
		{ "pid_t", "pid_t", 4, true },
		{ "u_longlong_t", "u_longlong_t", 8, false },
		{ "hrtime_t", "hrtime_t", 8, true },
		{ "string", "string", 256, false },
		{ "char **", "char **", 8, false },
		{ "int (*)[3]", "int (*)[3]", 8, false },
		{ "struct in6_addr", "struct in6_addr", 16, false },
		{ "short[5]", "short [5]", 10, false },
		{ "_Bool", "_Bool", 1, false },
	};
	struct tree *tree = empty();

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct type *type = type_parse(tree->types, rows[i].name);

		cr_assert(ne(ptr, type, NULL), "%s", rows[i].name);
		expect_text(type_text(tree->types, type), rows[i].text);
		cr_expect(eq(sz, type->size, rows[i].size), "%s", rows[i].name);
		cr_expect(eq(int, type_real(type)->is_signed, rows[i].is_signed), "%s", rows[i].name);
	}
	cr_expect(eq(ptr, type_parse(tree->types, "nope"), NULL));
	cr_expect(eq(ptr, type_parse(tree->types, "int int"), NULL));
	cr_expect(eq(ptr, type_parse(tree->types, "int )"), NULL));
	tree_free(tree);
}

#define LAYOUT                                                                                                         \
	struct sample {                                                                                                \
		char a;                                                                                                \
		short b;                                                                                               \
		struct {                                                                                               \
			int c;                                                                                         \
			union {                                                                                        \
				char d[9];                                                                             \
				long e;                                                                                \
			};                                                                                             \
		};                                                                                                     \
		unsigned char f : 3;                                                                                   \
		unsigned char : 0;                                                                                     \
		unsigned int g : 30;                                                                                   \
		unsigned int h : 5;                                                                                    \
		long i : 40;                                                                                           \
		char j;                                                                                                \
		enum { SAMPLE } k;                                                                                     \
		void *l;                                                                                               \
		char m;                                                                                                \
	};

#define TEXT(...) TEXT_(__VA_ARGS__)
#define TEXT_(...) #__VA_ARGS__

LAYOUT

static uint64_t offset_of(struct type *type, const char *name)
{
	uint64_t offset = UINT64_MAX;

	type_member(type, name, &offset);
	return offset;
}

/* The first bit that is set in the bytes of a struct of which only one member is not 0. */
static uint64_t first_bit(const struct sample *sample)
{
	const unsigned char *bytes = (const unsigned char *)sample;

	for (size_t bit = 0; bit < sizeof(*sample) * 8; bit++)
		if (bytes[bit / 8] & (1 << bit % 8))
			return bit;
	return UINT64_MAX;
}

static uint64_t bit_of_g(void)
{
	struct sample sample = { .g = 1 };

	return first_bit(&sample);
}

static uint64_t bit_of_h(void)
{
	struct sample sample = { .h = 1 };

	return first_bit(&sample);
}

static uint64_t bit_of_i(void)
{
	struct sample sample = { .i = 1 };

	return first_bit(&sample);
}

Test(d_type, structs_lie_as_c_has_them)
{
	struct tree *tree = tree_new(TEXT(LAYOUT));
	struct type *type = type_tagged(tree->types, TYPE_STRUCT, "sample");

	cr_assert(tree->is_ok, "%s", tree->is_ok ? "" : tree->diag.first->text);
	cr_expect(eq(sz, type->size, sizeof(struct sample)));
	cr_expect(eq(sz, type->align, _Alignof(struct sample)));
#define CHECK_MEMBER(name) cr_expect(eq(u64, offset_of(type, #name), offsetof(struct sample, name) * 8), #name)
	CHECK_MEMBER(a);
	CHECK_MEMBER(b);
	CHECK_MEMBER(c);
	CHECK_MEMBER(d);
	CHECK_MEMBER(e);
	CHECK_MEMBER(j);
	CHECK_MEMBER(k);
	CHECK_MEMBER(l);
	CHECK_MEMBER(m);
	cr_expect(eq(u64, offset_of(type, "g"), bit_of_g()));
	cr_expect(eq(u64, offset_of(type, "h"), bit_of_h()));
	cr_expect(eq(u64, offset_of(type, "i"), bit_of_i()));
	tree_free(tree);
}

Test(d_type, same_types_are_the_same_by_any_name)
{
	static const struct {
		const char *a, *b;
		bool are_same;
	} rows[] = {
		{ "int", "int32_t", true },
		{ "long", "long long", true },
		{ "int", "unsigned", false },
		{ "char *", "int8_t *", true },
		{ "char *", "void *", false },
		{ "struct s *", "t *", true },
		{ "struct s", "struct u", false },
		{ "int[3]", "int[4]", false },
		{ "int (*)(int)", "int (*)(int)", true },
	};
	struct tree *tree = tree_new("typedef struct s { int x; } t; struct u { int x; };");

	for (size_t i = 0; i < COUNT(rows); i++)
		cr_expect(eq(int, type_same(type_parse(tree->types, rows[i].a), type_parse(tree->types, rows[i].b)),
			     rows[i].are_same),
			  "%s, %s", rows[i].a, rows[i].b);
	tree_free(tree);
}

Test(d_type, arithmetic_has_the_type_that_c_gives_it)
{
	static const struct {
		const char *a, *b, *common;
	} rows[] = {
		{ "char", "short", "int" },
		{ "int", "unsigned", "unsigned int" },
		{ "unsigned", "long", "long" },
		{ "int", "int64_t", "int64_t" },
		{ "long", "uint64_t", "uint64_t" },
		{ "unsigned char", "int", "int" },
		{ "long", "unsigned long long", "unsigned long long" },
	};
	struct tree *tree = empty();

	for (size_t i = 0; i < COUNT(rows); i++)
		expect_text(type_text(tree->types, type_common(tree->types, type_parse(tree->types, rows[i].a),
							       type_parse(tree->types, rows[i].b))),
			    rows[i].common);
	tree_free(tree);
}

Test(d_type, enumerators_are_known)
{
	struct tree *tree = tree_new("enum color { RED, GREEN = -3, BLUE };");
	int64_t value = 0;
	struct type *type = NULL;

	cr_assert(type_enumerator(tree->types, "BLUE", &value, &type));
	cr_expect(eq(i64, value, -2));
	expect_text(type_text(tree->types, type), "enum color");
	cr_expect(eq(int, type_enumerator(tree->types, "PINK", &value, NULL), false));
	tree_free(tree);
}

Test(d_type, userland_pointers_say_so)
{
	struct tree *tree = tree_new("userland char *p; char *userland q; char *r;");
	struct declaration *p = tree->program.declarations;

	cr_assert(tree->is_ok);
	cr_expect(p->type->is_user && p->next->type->is_user && !p->next->next->type->is_user);
	tree_free(tree);
}
