// SPDX-License-Identifier: BSD-2-Clause
/* Options of D programs: how values are written, where they may be set. */
#include "dtrace/options/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "check.h"
#include "base/arena.h"

static struct d_options options;

static void begin(void)
{
	d_options_init(&options);
}

static void end(void)
{
	d_options_free(&options);
}

TestSuite(d_options, .init = begin, .fini = end);

static enum d_option_error set(const char *name, const char *value)
{
	return d_option_set(&options, D_OPTION_COMMAND, name, value);
}

Test(d_options, sizes_have_suffixes)
{
	static const struct {
		const char *value;
		uint64_t size;
	} rows[] = {
		{ "1", 1 },	{ "100", 100 },	   { "0x10", 16 },    { "4k", 4096 },
		{ "4K", 4096 }, { "2m", 2 << 20 }, { "1g", 1 << 30 }, { "1t", 1ULL << 40 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		cr_expect(eq(int, (int)set("bufsize", rows[i].value), D_OPTION_OK), "%s", rows[i].value);
		cr_expect(eq(u64, options.bufsize, rows[i].size), "%s", rows[i].value);
	}
}

Test(d_options, wrong_sizes_are_refused_and_change_nothing)
{
	static const char *const values[] = {
		"-1", "k", "1kk", "1x", "", "4 k", "99999999999999999999", "9000000000g", "0xfffffffffffffffff"
	};

	for (size_t i = 0; i < COUNT(values); i++)
		cr_expect(eq(int, (int)set("bufsize", values[i]), D_OPTION_VALUE), "%s", values[i]);
	cr_expect(eq(u64, options.bufsize, 0));
}

Test(d_options, rates_are_times_or_frequencies)
{
	static const struct {
		const char *value;
		uint64_t ns;
	} rows[] = {
		{ "10", 10 },
		{ "10ns", 10 },
		{ "10usec", 10000 },
		{ "1ms", NS_PER_MS },
		{ "2s", 2 * NS_PER_S },
		{ "3min", 180 * NS_PER_S },
		{ "1h", 3600 * NS_PER_S },
		{ "1day", 86400 * NS_PER_S },
		{ "100hz", NS_PER_S / 100 },
		{ "0hz", 0 },
		{ "5SEC", 5 * NS_PER_S },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		cr_expect(eq(int, (int)set("switchrate", rows[i].value), D_OPTION_OK), "%s", rows[i].value);
		cr_expect(eq(u64, options.switchrate_ns, rows[i].ns), "%s", rows[i].value);
	}
	cr_expect(eq(int, (int)set("switchrate", "1week"), D_OPTION_VALUE));
	cr_expect(eq(int, (int)set("switchrate", "-1s"), D_OPTION_VALUE));
	cr_expect(eq(int, (int)set("switchrate", "9999999999d"), D_OPTION_VALUE));
}

Test(d_options, switches_are_set_and_taken_back)
{
	static const struct {
		const char *value;
		bool is_on;
	} rows[] = {
		{ NULL, true }, { "no", false }, { "yes", true },	{ "off", false }, { "TRUE", true },
		{ "", false },	{ "1", true },	 { "disabled", false }, { "0", true },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		cr_expect(eq(int, (int)set("quiet", rows[i].value), D_OPTION_OK));
		cr_expect(eq(int, options.consumer.quiet, rows[i].is_on), "%s", rows[i].value ? rows[i].value : "-");
	}
	cr_expect(eq(int, (int)set("quiet", "perhaps"), D_OPTION_VALUE));
}

Test(d_options, flags_take_no_value)
{
	cr_expect(eq(int, (int)set("errtags", "yes"), D_OPTION_VALUE));
	cr_expect(not(options.error_tags));
	cr_expect(eq(int, (int)set("errtags", NULL), D_OPTION_OK));
	cr_expect(options.error_tags);
}

Test(d_options, an_unknown_name_is_told_from_a_wrong_value)
{
	cr_expect(eq(int, (int)set("strsise", "10"), D_OPTION_UNKNOWN));
	cr_expect(eq(int, (int)set("strsize", "ten"), D_OPTION_VALUE));
	cr_expect(eq(int, (int)set("strsize", "100g"), D_OPTION_LARGE));
	cr_expect(eq(int, (int)set("strsize", NULL), D_OPTION_VALUE));
	cr_expect(eq(int, (int)set("strsize", "1"), D_OPTION_VALUE));
}

Test(d_options, the_compiler_gets_what_is_its)
{
	cr_expect(eq(int, (int)set("strsize", "1k"), D_OPTION_OK));
	cr_expect(eq(int, (int)set("nspec", "3"), D_OPTION_OK));
	cr_expect(eq(int, (int)set("scratchsize", "1001"), D_OPTION_OK));
	cr_expect(eq(int, (int)set("ustackframes", "127"), D_OPTION_OK));
	cr_expect(eq(int, (int)set("destructive", NULL), D_OPTION_OK));
	cr_expect(eq(sz, options.unit.strsize, 1024));
	cr_expect(eq(uint, options.unit.speculations, 3));
	cr_expect(eq(sz, options.unit.scratch_size, 1008));
	cr_expect(eq(uint, options.unit.ustack_frames, 127));
	cr_expect(options.unit.is_destructive);
}

Test(d_options, more_frames_than_the_kernel_takes_are_refused)
{
	static const char *const names[] = { "stackframes", "ustackframes", "jstackframes", "maxframes" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		cr_expect(eq(int, (int)set(names[i], "127"), D_OPTION_OK));
		cr_expect(eq(int, (int)set(names[i], "128"), D_OPTION_LARGE));
		cr_expect(eq(int, (int)set(names[i], "-1"), D_OPTION_VALUE));
	}
}

Test(d_options, words_of_the_preprocessor_are_kept_in_order)
{
	cr_expect(eq(int, (int)set("define", "A=1"), D_OPTION_OK));
	cr_expect(eq(int, (int)set("incdir", "/x y"), D_OPTION_OK));
	cr_expect(eq(int, (int)set("cppargs", "  -W  -v"), D_OPTION_OK));
	cr_expect(eq(int, (int)set("cpphdrs", NULL), D_OPTION_OK));
	cr_assert(eq(sz, options.cpp_args.count, 5));
	expect_text(options.cpp_args.words[0], "-DA=1");
	expect_text(options.cpp_args.words[1], "-I/x y");
	expect_text(options.cpp_args.words[2], "-W");
	expect_text(options.cpp_args.words[3], "-v");
	expect_text(options.cpp_args.words[4], "-H");
	cr_expect(eq(ptr, options.cpp_args.words[5], NULL));
}

Test(d_options, a_program_chooses_no_preprocessor)
{
	cr_expect(eq(int, (int)d_option_set(&options, D_OPTION_PRAGMA, "cpppath", "/bin/sh"), D_OPTION_PLACE));
	cr_expect(eq(int, (int)d_option_set(&options, D_OPTION_PRAGMA, "define", "A"), D_OPTION_PLACE));
	cr_expect(eq(int, (int)d_option_set(&options, D_OPTION_PRAGMA, "quiet", NULL), D_OPTION_OK));
	cr_expect(eq(int, (int)d_option_set(&options, D_OPTION_RUNNING, "cpppath", "/bin/sh"), D_OPTION_PLACE));
}

Test(d_options, a_program_does_not_allow_itself_to_change_nodes)
{
	cr_expect(eq(int, (int)d_option_set(&options, D_OPTION_PRAGMA, "via", "vm"), D_OPTION_PLACE));
	cr_expect(eq(int, (int)d_option_set(&options, D_OPTION_COMMAND, "via", "hw"), D_OPTION_VALUE));
	cr_expect(eq(int, (int)d_option_set(&options, D_OPTION_COMMAND, "via", NULL), D_OPTION_VALUE));
	cr_expect(not(options.allow_breakpoints));
	cr_expect(eq(int, (int)d_option_set(&options, D_OPTION_COMMAND, "via", "vm"), D_OPTION_OK));
	cr_expect(options.allow_breakpoints);
	cr_expect(eq(int, (int)d_option_set(&options, D_OPTION_PRAGMA, "calllimit", "7"), D_OPTION_PLACE));
	cr_expect(eq(int, (int)d_option_set(&options, D_OPTION_COMMAND, "calllimit", "0"), D_OPTION_VALUE));
	cr_expect(eq(int, (int)d_option_set(&options, D_OPTION_COMMAND, "calllimit", "7"), D_OPTION_OK));
	cr_expect(eq(u64, options.call_limit, 7));
}

Test(d_options, some_can_change_while_the_program_runs)
{
	cr_expect(eq(int, (int)d_option_set(&options, D_OPTION_RUNNING, "aggsortrev", "yes"), D_OPTION_OK));
	cr_expect(options.consumer.agg_sort_rev);
	cr_expect(eq(int, (int)d_option_set(&options, D_OPTION_RUNNING, "bufsize", "1m"), D_OPTION_ACTIVE));
	cr_expect(eq(int, (int)d_option_set(&options, D_OPTION_RUNNING, "nosuch", "1m"), D_OPTION_UNKNOWN));
}

Test(d_options, stabilities_and_versions_have_their_form)
{
	cr_expect(eq(int, (int)set("amin", "Evolving/Evolving/Common"), D_OPTION_OK));
	cr_expect(eq(int, (int)options.unit.amin.names, STABILITY_EVOLVING));
	cr_expect(eq(int, (int)set("amin", "Evolving/Common"), D_OPTION_VALUE));
	cr_expect(eq(int, (int)set("amin", "Common/Evolving/Evolving"), D_OPTION_VALUE));
	cr_expect(eq(int, (int)set("amin", "a/b/c/d/e/f/g"), D_OPTION_VALUE));
	cr_expect(eq(int, (int)set("version", "1.0"), D_OPTION_OK));
	cr_expect(eq(int, (int)set("version", "1.6.4"), D_OPTION_OK));
	cr_expect(eq(int, (int)set("version", "0.1.0"), D_OPTION_OK));
	cr_expect(eq(int, (int)set("version", "9.0"), D_OPTION_VERSION));
	cr_expect(eq(int, (int)set("version", "1.x"), D_OPTION_VALUE));
	cr_expect(eq(int, (int)set("version", "1."), D_OPTION_VALUE));
}

Test(d_options, the_environment_sets_them)
{
	setenv("DTRACE_OPT_STRSIZE", "512", 1);
	setenv("DTRACE_OPT_quiet", "", 1);
	setenv("DTRACE_OPT_errtags", "", 1);
	setenv("DTRACE_OPT_NSPEC", "many", 1);
	d_options_environment(&options);
	cr_expect(eq(sz, options.unit.strsize, 512));
	cr_expect(not(options.consumer.quiet));
	cr_expect(options.error_tags);
	cr_expect(eq(uint, options.unit.speculations, 1));
}

Test(d_options, pragmas_are_applied_in_order_and_mistakes_are_messages)
{
	struct pragma third = { .name = "option", .key = "nosuch", .value = "1", .line = 3 };
	struct pragma second = { .name = "option", .key = "strsize", .value = "64", .line = 2, .next = &third };
	struct pragma first = { .name = "option", .key = "quiet", .line = 1, .next = &second };
	struct unit unit = { .arena = arena_new(), .program = { .pragmas = &first } };

	unit.diag.arena = unit.arena;
	cr_expect(not(d_options_pragmas(&options, &unit)));
	cr_expect(options.consumer.quiet);
	cr_expect(eq(sz, unit.options.strsize, 64));
	cr_assert(ne(ptr, unit.diag.first, NULL));
	expect_text(unit.diag.first->tag, "D_PRAGMA_OPTSET");
	expect_text(unit.diag.first->text, "failed to set option 'nosuch' to '1': unknown option");
	cr_expect(eq(int, unit.diag.first->line, 3));
	arena_free(unit.arena);
}

Test(d_options, every_row_is_in_order_and_says_something)
{
	for (size_t i = 0; i < d_option_count(); i++) {
		struct d_option_help row = d_option_help(i);

		cr_expect(ne(int, row.help[0], '\0'), "%s", row.name);
		cr_expect(ne(ptr, (void *)(uintptr_t)row.value, NULL), "%s", row.name);
		if (i)
			cr_expect(lt(int, strcmp(d_option_help(i - 1).name, row.name), 0), "%s", row.name);
	}
}

Test(d_options, an_encoding_is_for_bars_and_for_what_is_packed)
{
	cr_expect(eq(int, (int)set("encoding", "utf8"), D_OPTION_OK));
	cr_expect(options.consumer.has_utf8_bars && options.consumer.has_utf8_packed);
	cr_expect(eq(int, (int)set("encoding", "ascii"), D_OPTION_OK));
	cr_expect(not(options.consumer.has_utf8_bars || options.consumer.has_utf8_packed));
	cr_expect(eq(int, (int)set("encoding", "latin1"), D_OPTION_VALUE));
	cr_expect(eq(int, (int)set("encoding", NULL), D_OPTION_VALUE));
}

static bool packs_in_utf8(const char *locale, const char *term)
{
	struct d_options o;
	bool has;

	setenv("LC_ALL", locale, 1);
	setenv("TERM", term, 1);
	d_options_init(&o);
	has = o.consumer.has_utf8_packed && !o.consumer.has_utf8_bars;
	d_options_free(&o);
	return has;
}

Test(d_options, packed_is_in_block_characters_where_locale_and_terminal_have_them)
{
	cr_expect(packs_in_utf8("C.UTF-8", "xterm"));
	cr_expect(not(packs_in_utf8("C.UTF-8", "dumb")));
	cr_expect(not(packs_in_utf8("C", "xterm")));
	cr_expect(not(packs_in_utf8("no_SUCH.UTF-8", "xterm")));
}
