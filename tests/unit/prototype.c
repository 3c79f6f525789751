// SPDX-License-Identifier: BSD-2-Clause
/* What functions are given: the types of the command line, and the table of those that are known. */
#include "probe/prototype.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static struct function_spec parsed(const char *text)
{
	struct function_spec spec;
	const char *why = NULL;

	cr_expect(eq(int, function_spec_parse(text, &spec, &why), 0), "%s: %s", text, why ? why : "");
	return spec;
}

Test(prototype, a_name_alone_says_nothing_of_arguments)
{
	struct function_spec spec = parsed("erts_garbage_collect*");

	expect_text(spec.glob, "erts_garbage_collect*", "%s", spec.glob);
	cr_assert(not(spec.has_prototype));
}

Test(prototype, arguments_and_value_are_read_with_any_blanks)
{
	static const char *const texts[] = {
		"f(process,term)->long",
		"f (process, term) -> long",
		" f( process ,term )->  long ",
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct function_spec spec = parsed(texts[i]);

		expect_text(spec.glob, "f", "%s", texts[i]);
		cr_expect(eq(sz, spec.prototype.argc, 2), "%s", texts[i]);
		cr_expect(eq(int, spec.prototype.args[0].kind, C_TYPE_PROCESS), "%s", texts[i]);
		cr_expect(eq(int, spec.prototype.args[1].kind, C_TYPE_TERM), "%s", texts[i]);
		cr_expect(eq(int, spec.prototype.value.kind, C_TYPE_LONG), "%s", texts[i]);
	}
}

static const struct {
	const char *name;
	enum c_type_kind kind;
	uint32_t count;
} types[] = {
	{ "int", C_TYPE_INT, 0 },	   { "uint", C_TYPE_UINT, 0 },
	{ "long", C_TYPE_LONG, 0 },	   { "ulong", C_TYPE_ULONG, 0 },
	{ "bool", C_TYPE_BOOL, 0 },	   { "hex", C_TYPE_HEX, 0 },
	{ "ptr", C_TYPE_HEX, 0 },	   { "term", C_TYPE_TERM, 0 },
	{ "process", C_TYPE_PROCESS, 0 },  { "port", C_TYPE_PORT, 0 },
	{ "mfa", C_TYPE_MFA, 0 },	   { "str", C_TYPE_TEXT, 0 },
	{ "bytes(16)", C_TYPE_BYTES, 16 }, { "bytes( 128 )", C_TYPE_BYTES, 128 },
	{ "terms(9)", C_TYPE_TERMS, 9 },   { "_", C_TYPE_SKIP, 0 },
};

Test(prototype, every_type_has_its_name)
{
	for (size_t i = 0; i < COUNT(types); i++) {
		char text[64];
		struct function_spec spec;

		snprintf(text, sizeof(text), "f(%s)", types[i].name);
		spec = parsed(text);
		cr_expect(eq(int, spec.prototype.args[0].kind, types[i].kind), "%s", text);
		cr_expect(eq(u32, spec.prototype.args[0].count, types[i].count), "%s", text);
	}
}

Test(prototype, no_arguments_and_a_value_alone_are_known_too)
{
	struct function_spec none = parsed("f()"), value = parsed("f -> term"), nothing = parsed("f()->void");

	cr_assert(none.has_prototype);
	cr_assert(eq(sz, none.prototype.argc, 0));
	cr_assert(value.has_prototype);
	cr_assert(eq(int, value.prototype.value.kind, C_TYPE_TERM));
	cr_assert(eq(int, nothing.prototype.value.kind, C_TYPE_VOID));
}

Test(prototype, arguments_that_are_not_said_are_more)
{
	struct function_spec more = parsed("f(int, ...)"), all = parsed("f(...)"), none = parsed("f()"),
			     name = parsed("f");

	cr_assert(more.prototype.has_more);
	cr_assert(eq(sz, more.prototype.argc, 1));
	cr_assert(all.prototype.has_more);
	cr_assert(name.prototype.has_more);
	cr_assert(not(none.prototype.has_more));
}

Test(prototype, a_function_of_erlang_and_a_glob_of_brackets_are_names)
{
	struct function_spec erlang = parsed("ets:insert/2"), glob = parsed("ets_[il]*_2(process)");

	expect_text(erlang.glob, "ets:insert/2", "%s", erlang.glob);
	expect_text(glob.glob, "ets_[il]*_2", "%s", glob.glob);
}

static const char *const wrong[] = {
	"",
	" ",
	"(int)",
	"->int",
	"f(",
	"f(int",
	"f(int,",
	"f(int,)",
	"f(,)",
	"f()x",
	"f(int)int",
	"f->",
	"f(void)",
	"f(Int)",
	"f(integer)",
	"f(in)",
	"f(terms)",
	"f(terms())",
	"f(terms(0))",
	"f(terms(10))",
	"f(terms(-1))",
	"f(bytes(129))",
	"f(bytes(99999999999999999999))",
	"f(bytes(2)",
	"f(bytes(2x))",
	"f(int,int,int,int,int,int,int)",
	"f(terms(5),terms(5))",
	"f()->terms(2)",
	"f()->int,int",
	"f g",
	"f(int))",
	"f(int)->int->int",
	"f(\033[31m)",
	"f(...,int)",
	"f(...",
	"f(..)",
	"f(...)(int)",
	"f(terms(9),...)",
};

Test(prototype, what_is_wrong_is_refused_with_a_reason)
{
	for (size_t i = 0; i < COUNT(wrong); i++) {
		struct function_spec spec;
		const char *why = NULL;

		cr_expect(eq(int, function_spec_parse(wrong[i], &spec, &why), -EINVAL), "%s", wrong[i]);
		cr_expect(ne(ptr, check_pointer(why), NULL), "%s", wrong[i]);
	}
}

Test(prototype, a_name_that_is_too_long_is_refused)
{
	char text[200];
	struct function_spec spec;
	const char *why;

	memset(text, 'a', sizeof(text));
	text[127] = '\0';
	cr_assert(eq(int, function_spec_parse(text, &spec, &why), 0));
	text[127] = 'a';
	text[128] = '\0';
	cr_assert(eq(int, function_spec_parse(text, &spec, &why), -EINVAL));
}

Test(prototype, every_row_of_the_table_parses_and_is_found_by_its_name)
{
	size_t rows = 0;

	for (; prototype_row(rows); rows++) {
		struct function_spec spec = parsed(prototype_row(rows));
		struct prototype known;

		cr_expect(spec.has_prototype, "%s", prototype_row(rows));
		cr_expect(prototype_known(spec.glob, 25, &known) || prototype_known(spec.glob, 27, &known), "%s",
			  spec.glob);
	}
	cr_assert(gt(sz, rows, 50));
}

Test(prototype, releases_have_their_own_rows)
{
	struct prototype on_25, on_27;

	cr_assert(prototype_known("erts_garbage_collect", 25, &on_25));
	cr_assert(prototype_known("erts_garbage_collect", 27, &on_27));
	cr_assert(eq(int, on_25.args[1].kind, C_TYPE_INT));
	cr_assert(eq(int, on_27.args[1].kind, C_TYPE_ULONG));
	cr_assert(not(prototype_known("erts_garbage", 25, &on_25)));
	cr_assert(not(prototype_known("", 25, &on_25)));
}

Test(prototype, a_bif_has_its_process_and_its_arguments_side_by_side)
{
	struct prototype bif = prototype_of_bif(2), none = prototype_of_bif(0);

	cr_assert(eq(sz, bif.argc, 2));
	cr_assert(eq(int, bif.args[0].kind, C_TYPE_PROCESS));
	cr_assert(eq(int, bif.args[1].kind, C_TYPE_TERMS));
	cr_assert(eq(u32, bif.args[1].count, 2));
	cr_assert(eq(int, bif.value.kind, C_TYPE_TERM));
	cr_assert(eq(sz, none.argc, 1));
}

static const struct {
	const char *name;
	bool returns, is_certain;
} returning[] = {
	{ "ets_insert_2", true, false },
	{ "erts_schedule", true, false },
	{ "process_main", false, false },
	{ "erts_exit", false, false },
	{ "garbage_collect.cold", false, true },
	{ "garbage_collect.cold.12", false, true },
	{ "_start", false, true },
	{ "generic_signal_handler", false, true },
	{ "smp_sig_notify.isra.0", false, true },
	{ "grow_new_heap.isra.0", true, false },
	{ "do_minor.part.0", true, false },
};

Test(prototype, functions_that_do_not_return_are_known)
{
	for (size_t i = 0; i < COUNT(returning); i++) {
		bool is_certain;
		const char *why = function_no_return(returning[i].name, &is_certain);

		cr_expect(eq(int, !why, returning[i].returns), "%s", returning[i].name);
		if (why)
			cr_expect(eq(int, is_certain, returning[i].is_certain), "%s", returning[i].name);
	}
}
