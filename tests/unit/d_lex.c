// SPDX-License-Identifier: BSD-2-Clause
#include "d/syntax/lex.h"

#include <string.h>

#include "check.h"
#include "d_tree.h"

struct lexing {
	struct tree *tree;
	struct lexer lexer;
	struct pragma *pragmas;
};

static struct lexing *lexing_new(const char *text)
{
	struct tree *tree = tree_new("");
	struct lexing *lexing = arena_alloc(tree->arena, sizeof(*lexing));

	lexing->tree = tree;
	lexing->lexer = (struct lexer){
		.arena = tree->arena,
		.types = tree->types,
		.diag = &tree->diag,
		.pragmas = &lexing->pragmas,
	};
	lex_start(&lexing->lexer, text, strlen(text));
	return lexing;
}

static struct token next(struct lexing *lexing)
{
	struct token token;

	lex_next(&lexing->lexer, LEX_EXPRESSION, &token);
	return token;
}

Test(d_lex, constants_have_values)
{
	static const struct {
		const char *text;
		uint64_t value;
	} rows[] = {
		{ "0", 0 },
		{ "123", 123 },
		{ "0777", 511 },
		{ "0xfF", 255 },
		{ "18446744073709551615u", UINT64_MAX },
		{ "1ULL", 1 },
		{ "1llu", 1 },
		{ "'a'", 'a' },
		{ "'\\n'", '\n' },
		{ "'\\''", '\'' },
		{ "'\\0'", 0 },
		{ "'\\101'", 'A' },
		{ "'\\x41'", 'A' },
		{ "'abcd'", 0x61626364 },
		{ "'\\377'", 255 },
		{ "'abcdefgh'", 0x6162636465666768 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct lexing *lexing = lexing_new(rows[i].text);
		struct token token = next(lexing);

		cr_expect(eq(int, token.kind, TOKEN_INT), "%s", rows[i].text);
		cr_expect(eq(u64, token.value, rows[i].value), "%s", rows[i].text);
		cr_expect(eq(int, next(lexing).kind, TOKEN_END), "%s", rows[i].text);
		tree_free(lexing->tree);
	}
}

Test(d_lex, escapes_in_strings_are_resolved)
{
	struct lexing *lexing = lexing_new("\"a\\tb\\\\\\\"\\x41\\1018\\q\" \"cut\\0off\" \"\"");

	expect_text(next(lexing).text, "a\tb\\\"AA8\\q");
	cr_expect(eq(sz, next(lexing).length, 3));
	cr_expect(eq(sz, next(lexing).length, 0));
	tree_free(lexing->tree);
}

Test(d_lex, operators_are_as_long_as_possible)
{
	struct lexing *lexing = lexing_new("a+++b>>=c^^d->e...f<=-1");
	static const int kinds[] = {
		TOKEN_IDENT,   TOKEN_ADD_ADD, '+',	   TOKEN_IDENT, TOKEN_SHR_SET,	TOKEN_IDENT,
		TOKEN_XOR_XOR, TOKEN_IDENT,   TOKEN_ARROW, TOKEN_IDENT, TOKEN_ELLIPSIS, TOKEN_IDENT,
		TOKEN_LE,      '-',	      TOKEN_INT,   TOKEN_END,
	};

	for (size_t i = 0; i < COUNT(kinds); i++)
		cr_expect(eq(int, next(lexing).kind, kinds[i]), "%zu", i);
	tree_free(lexing->tree);
}

Test(d_lex, keywords_are_told_from_names)
{
	struct lexing *lexing = lexing_new("self selfish xlate auto _if if");
	static const int kinds[] = { KEYWORD_SELF, TOKEN_IDENT, KEYWORD_XLATE, KEYWORD_AUTO, TOKEN_IDENT, KEYWORD_IF };

	for (size_t i = 0; i < COUNT(kinds); i++)
		cr_expect(eq(int, next(lexing).kind, kinds[i]), "%zu", i);
	tree_free(lexing->tree);
}

Test(d_lex, lines_are_counted)
{
	struct lexing *lexing = lexing_new("a /* \n\n */ b\n# 20 \"x.h\" 1\nc\n#line 3\nd\n# 9 \"<stdin>\"\ne");

	cr_expect(eq(int, next(lexing).line, 1));
	cr_expect(eq(int, next(lexing).line, 3));
	cr_expect(eq(int, next(lexing).line, 20));
	expect_text(lexing->lexer.file, "x.h");
	cr_expect(eq(int, next(lexing).line, 3));
	cr_expect(eq(int, next(lexing).line, 9));
	cr_expect(eq(ptr, check_pointer(lexing->lexer.file), NULL));
	tree_free(lexing->tree);
}

Test(d_lex, bytes_that_are_no_d_are_errors)
{
	static const char *const rows[] = { "\x80", "\\x", "\1",   "a #", "1.5", "1e3", ".5",
					    "08",   "0x",  "1lll", "\"",  "'",	 "$-" };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct lexing *lexing = lexing_new(rows[i]);
		struct token token = next(lexing);

		if (token.kind == TOKEN_IDENT)
			token = next(lexing);
		cr_expect(eq(int, token.kind, TOKEN_ERROR), "%s", rows[i]);
		cr_expect(eq(sz, lexing->tree->diag.errors, 1), "%s", rows[i]);
		tree_free(lexing->tree);
	}
}
