// SPDX-License-Identifier: BSD-2-Clause
#include "probe/catalogue.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

#define NAMED 59     /* beside the numbered ones: 57 of the VM's, 2 of dyntrace's */
#define NUMBERED 951 /* user_trace-n0 to user_trace-n950 */

static const struct probe_def *find_def(const char *name)
{
	int64_t id = probe_find("erlang", name);

	cr_assert(ge(i64, id, 0), "%s", name);
	return probe_def((uint32_t)id);
}

Test(catalogue, has_every_probe_of_the_vm_and_951_for_erlang_code)
{
	size_t named = 0, numbered = 0, ours = 0;

	for (size_t i = 0; i < probe_def_count; i++) {
		if (strcmp(probe_defs[i].provider, "erlang"))
			ours++;
		else if (probe_defs[i].last < 0)
			named++;
		else
			numbered += (size_t)(probe_defs[i].last - probe_defs[i].first + 1);
	}
	cr_expect(eq(sz, named, NAMED));
	cr_expect(eq(sz, numbered, NUMBERED));
	cr_expect(eq(u32, probe_count(), NAMED + NUMBERED + ours));
}

Test(catalogue, numbers_of_probes_are_dense_and_below_the_limit_of_the_maps)
{
	uint32_t next = 0;

	for (size_t i = 0; i < probe_def_count; i++) {
		const struct probe_def *def = &probe_defs[i];

		cr_expect(eq(u32, def->id, next), "%s", def->name);
		next += def->last < 0 ? 1 : (uint32_t)(def->last - def->first + 1);
	}
	cr_expect(eq(u32, next, probe_count()));
	cr_expect(le(u32, next, ERL_PROBES));
}

Test(catalogue, every_name_leads_to_its_number_and_back)
{
	for (uint32_t id = 0; id < probe_count(); id++) {
		char name[PROBE_NAME_SIZE];

		cr_expect(eq(i64, probe_find(probe_def(id)->provider, probe_name(id, name)), id), "%s", name);
		cr_expect(lt(sz, strlen(name), PROBE_NAME_SIZE - 1), "%s", name);
	}
}

/* With "__" for "-", as SDT notes have it. */
static void spell_as_note(const char *name, char *note)
{
	for (; *name; name++) {
		*note++ = *name == '-' ? '_' : *name;
		if (*name == '-')
			*note++ = '_';
	}
	*note = '\0';
}

Test(catalogue, every_name_is_found_as_notes_spell_it)
{
	for (uint32_t id = 0; id < probe_count(); id++) {
		char name[PROBE_NAME_SIZE], note[2 * PROBE_NAME_SIZE];

		spell_as_note(probe_name(id, name), note);
		cr_expect(eq(i64, probe_find(probe_def(id)->provider, note), id), "%s", note);
	}
}

Test(catalogue, a_range_of_numbered_probes_has_a_name)
{
	uint32_t first = (uint32_t)probe_find("erlang", "user_trace-n0");
	char name[2 * PROBE_NAME_SIZE];

	expect_text(probe_range_name(first, first + 950, name), "user_trace-n0..n950");
	expect_text(probe_range_name(first + 7, first + 8, name), "user_trace-n7..n8");
	expect_text(probe_range_name(first + 7, first + 7, name), "user_trace-n7");
	expect_text(probe_range_name(0, 0, name), "message-send");
}

Test(catalogue, no_two_rows_share_a_name)
{
	for (size_t i = 0; i < probe_def_count; i++) {
		for (size_t j = 0; j < i; j++)
			cr_expect(ne(int, strcmp(probe_defs[i].name, probe_defs[j].name), 0), "%s", probe_defs[i].name);
	}
}

static const char *const unknown[] = {
	"",
	"-",
	"message",
	"message-",
	"message-sen",
	"message-sends",
	"message_send",
	"Message-send",
	" message-send",
	"message-send ",
	"message--send",
	"message___send",
	"erlang:message-send",
	"user_trace",
	"user_trace-n",
	"user_trace-n951",
	"user_trace-n1000",
	"user_trace-n-1",
	"user_trace-n00",
	"user_trace-n01",
	"user_trace-n1x",
	"user_trace-n 1",
	"user_trace-n+1",
	"user_trace-n4294967296",
	"user_trace-n99999999999999999999",
	"user_trace-s11",
	"trace-",
	"gc-major-start",
};

Test(catalogue, other_names_are_not_found)
{
	for (size_t i = 0; i < COUNT(unknown); i++)
		cr_expect(eq(i64, probe_find("erlang", unknown[i]), -1), "\"%s\"", unknown[i]);
}

static const struct {
	const char *glob;
	uint32_t matches;
} globs[] = {
	{ "*", NAMED + NUMBERED },
	{ "message-*", 4 },
	{ "gc_*-start", 2 },
	{ "gc_m[ai][jn]or-*", 4 },
	{ "*-function-*", 2 },
	{ "user_trace-n*", NUMBERED },
	{ "user_trace-n?", 10 },
	{ "user_trace-n94[0-9]", 10 },
	{ "message-send", 1 },
	{ "message", 0 },
	{ "erlang:*", NAMED + NUMBERED },
	{ "*:message-send", 1 },
	{ "ets-call", 1 },
	{ "vm:ets-c*", 1 },
	{ "ets-c*", 0 },
	{ "erlang:ets-call", 0 },
	{ "", 0 },
	{ "[", 0 },
};

Test(catalogue, a_glob_matches_whole_names)
{
	for (size_t i = 0; i < COUNT(globs); i++) {
		uint32_t matches = 0;

		for (uint32_t id = 0; id < probe_count(); id++)
			matches += probe_matches(id, globs[i].glob);
		cr_expect(eq(u32, matches, globs[i].matches), "\"%s\"", globs[i].glob);
	}
}

Test(catalogue, the_probe_that_hangs_the_vm_is_denied_on_every_flavor)
{
	const struct probe_def *def = find_def("process-port_unblocked");

	cr_expect(ne(ptr, check_pointer(probe_denied(def, true)), NULL));
	cr_expect(ne(ptr, check_pointer(probe_denied(def, false)), NULL));
}

Test(catalogue, the_probe_that_crashes_the_jit_is_denied_under_the_jit_only)
{
	const struct probe_def *def = find_def("global-function-entry");

	cr_expect(ne(ptr, check_pointer(probe_denied(def, true)), NULL));
	expect_text(probe_denied(def, false), NULL);
}

Test(catalogue, no_other_probe_is_denied)
{
	for (size_t i = 0; i < probe_def_count; i++) {
		const struct probe_def *def = &probe_defs[i];

		if (!strcmp(def->name, "process-port_unblocked") || !strcmp(def->name, "global-function-entry"))
			continue;
		expect_text(probe_denied(def, true), NULL, "%s", def->name);
	}
}

static const struct {
	const char *kind;
	bool is_text;
} kinds[] = {
	{ "pid", true },    { "port", true },	  { "node", true },    { "name", true },   { "text", true },
	{ "reason", true }, { "mfa", true },	  { "process", true }, { "words", false }, { "bytes", false },
	{ "count", false }, { "number", false },  { "flags", false },  { "depth", false }, { "label", false },
	{ "term", false },  { "address", false },
};

static void expect_known_kind(const struct probe_def *def, const struct probe_arg *arg)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (strcmp(kinds[i].kind, arg->kind))
			continue;
		cr_expect(eq(int, probe_arg_is_text(arg), kinds[i].is_text), "%s.%s is a %s", def->name, arg->name,
			  arg->type);
		return;
	}
	cr_fail("%s.%s: %s is not known", def->name, arg->name, arg->kind);
}

Test(catalogue, every_argument_is_of_a_known_kind_that_fits_its_type)
{
	for (size_t i = 0; i < probe_def_count; i++) {
		const struct probe_def *def = &probe_defs[i];

		cr_expect(ge(int, def->argc, 1), "%s", def->name);
		cr_expect(le(int, def->argc, ERL_MAX_ARGS), "%s", def->name);
		for (int n = 0; n < def->argc; n++)
			expect_known_kind(def, &def->args[n]);
	}
}

Test(catalogue, every_probe_says_when_it_fires)
{
	for (size_t i = 0; i < probe_def_count; i++)
		cr_expect(gt(sz, strlen(probe_defs[i].doc), 10), "%s", probe_defs[i].name);
}

Test(catalogue, probes_that_never_fire_say_so)
{
	static const char *const never[] = { "driver-event", "trace", "trace_seq" };
	size_t count = 0;

	for (size_t i = 0; i < probe_def_count; i++)
		count += probe_defs[i].never != NULL;
	cr_expect(eq(sz, count, COUNT(never)));
	for (size_t i = 0; i < COUNT(never); i++)
		cr_expect(ne(ptr, check_pointer(find_def(never[i])->never), NULL), "%s", never[i]);
}
