// SPDX-License-Identifier: BSD-2-Clause
/* Probes by their descriptions: what each provider has, and what matches what. */
#include "dtrace/provider/erlang.h"
#include "dtrace/provider/matching.h"
#include "dtrace/provider/probes.h"
#include "dtrace/provider/providers.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "trace/child.h"

static struct probe_spec spec_of(const char *provider, const char *module, const char *function, const char *name)
{
	return (struct probe_spec){
		.text = name,
		.provider = provider,
		.module = module,
		.function = function,
		.name = name,
	};
}

static void keep_last(void *data, const struct d_probe *probe)
{
	*(const struct d_probe **)data = probe;
}

static int match(struct probes *probes, struct probe_spec spec, const struct d_probe **last)
{
	const char *why;

	return probes_match(probes, &spec, keep_last, last, &why);
}

static struct probes *made(struct child *child)
{
	struct probes_options options = {};
	struct probes *probes = probes_new(&options);

	cr_assert(ne(ptr, probes, NULL));
	probes_set_child(probes, child);
	return probes;
}

Test(d_probes, begin_end_and_error_are_the_first_three)
{
	static const char *const names[] = { "BEGIN", "END", "ERROR" };
	struct probes *probes = made(NULL);

	for (size_t i = 0; i < COUNT(names); i++) {
		const struct d_probe *probe = NULL;

		cr_expect(eq(int, match(probes, spec_of("dtrace", "", "", names[i]), &probe), 1));
		cr_expect(eq(sz, probe->names.id, i + 1));
		cr_expect(eq(int, match(probes, spec_of("", "", "", names[i]), &probe), 1));
	}
	probes_free(probes);
}

Test(d_probes, a_tick_is_made_by_whoever_names_it)
{
	static const struct {
		const char *name;
		uint64_t period_ns;
	} rows[] = {
		{ "tick-1", 1000000000 },      { "tick-10hz", 100000000 },	{ "tick-1sec", 1000000000 },
		{ "tick-2s", 2000000000 },     { "tick-5ms", 5000000 },		{ "tick-5msec", 5000000 },
		{ "tick-700us", 700000 },      { "tick-700USEC", 700000 },	{ "tick-200000ns", 200000 },
		{ "tick-200001nsec", 200001 }, { "tick-5000", 200000 },		{ "tick-1m", 60000000000 },
		{ "tick-1min", 60000000000 },  { "tick-1hour", 3600000000000 }, { "tick-1d", 86400000000000 },
		{ "profile-97", 10309278 },    { "profile-1ms", 1000000 },
	};
	struct probes *probes = made(NULL);

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct d_probe *probe = NULL;

		cr_expect(eq(int, match(probes, spec_of("profile", "", "", rows[i].name), &probe), 1), "%s",
			  rows[i].name);
		if (!probe)
			continue;
		cr_expect(eq(u64, probe->period_ns, rows[i].period_ns), "%s", rows[i].name);
		cr_expect(eq(int, (int)probe->hook, rows[i].name[0] == 't' ? HOOK_RUN : HOOK_PROFILE));
		expect_text(probe->names.name, rows[i].name, "%s", rows[i].name);
	}
	probes_free(probes);
}

Test(d_probes, a_tick_that_makes_no_sense_is_none)
{
	static const char *const names[] = {
		"tick-",     "tick-0",	       "tick-1x",   "tick--1", "tick-ms",    "tick-99999999999s",
		"tick",	     "profile-1 ms",   "tick-1.5s", "tick*x",  "tick-199us", "tick-199999ns",
		"tick-5001", "profile-5001hz",
	};
	struct probes *probes = made(NULL);

	for (size_t i = 0; i < COUNT(names); i++) {
		const struct d_probe *probe = NULL;

		cr_expect(eq(int, match(probes, spec_of("", "", "", names[i]), &probe), 0), "%s", names[i]);
	}
	probes_free(probes);
}

Test(d_probes, one_tick_has_one_number_however_often_it_is_named)
{
	struct probes *probes = made(NULL);
	const struct d_probe *a = NULL, *b = NULL;

	match(probes, spec_of("", "", "", "tick-1s"), &a);
	match(probes, spec_of("profile", "", "", "tick-1s"), &b);
	cr_expect(eq(ptr, (void *)a, (void *)b));
	cr_expect(eq(ptr, (void *)probes_find(probes, a->number, 0, 0), (void *)a));
	match(probes, spec_of("", "", "", "tick-1sec"), &b);
	cr_expect(ne(sz, a->number, b->number));
	probes_free(probes);
}

Test(d_probes, a_provider_of_vms_is_matched_by_globs_and_by_its_bare_name)
{
	static const struct {
		const char *provider, *module, *function, *name;
		bool matches;
	} rows[] = {
		{ "erlang*", "", "", "message-send", true },
		{ "erlang1234", "", "", "message-send", true },
		{ "erlang", "", "", "message-send", true },
		{ "", "", "", "message-*", true },
		{ "*", "beam*", "", "", true },
		{ "erlang*", "*", "erts_send*", "message-send", true },
		{ "erlang12345", "", "", "message-send", false },
		{ "erlang*", "libc*", "", "", false },
		{ "erlan", "", "", "message-send", false },
		{ "erlang*", "", "", "message-sen", false },
		{ "erlang?", "", "", "message-send", false },
		{ "erlang", "", "other", "", false },
	};
	const struct probe_names names = { 4, "erlang1234", "beam.smp", "erts_send_message", "message-send" };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct probe_spec spec = spec_of(rows[i].provider, rows[i].module, rows[i].function, rows[i].name);

		cr_expect(eq(int, spec_matches_names(&spec, &names), rows[i].matches), "%s:%s:%s:%s", rows[i].provider,
			  rows[i].module, rows[i].function, rows[i].name);
	}
}

Test(d_probes, erlang_functions_are_one_probe_of_their_process)
{
	static const struct {
		const char *provider;
		bool matches;
	} rows[] = { { "beam*", true }, { "beam", true }, { "beam1234", true }, { "beam123", false } };
	const struct probe_names names = { 4, "vm1234", "beam.smp", "erts_generic_breakpoint", "beam-entry" };
	const struct probe_names other = { 4, "vm1234", "beam.smp", "erts_generic_breakpoint", "breakpoint-entry" };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct probe_spec spec = spec_of(rows[i].provider, "shop", "order/2", "entry");

		cr_expect(not(spec_matches_names(&spec, &names)), "%s", rows[i].provider);
		spec.beam = 1;
		cr_expect(eq(int, spec_matches_names(&spec, &names), rows[i].matches), "%s", rows[i].provider);
		cr_expect(not(spec_matches_names(&spec, &other)), "%s", rows[i].provider);
	}
}

Test(d_probes, each_end_of_an_erlang_function_has_a_probe)
{
	static const struct {
		const char *name;
		bool entry, returns, exception;
	} rows[] = {
		{ "entry", true, false, false },
		{ "return", false, true, false },
		{ "exception", false, false, true },
		{ "e*", true, false, true },
		{ "", true, true, true },
		{ "r?turn", false, true, false },
		{ "beam-entry", false, false, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct probe_spec spec = spec_of("beam*", "shop", "order/2", rows[i].name);
		struct probe_names names = { 4, "vm1234", "beam.smp", "f", "beam-entry" };

		spec.beam = 1;
		cr_expect(eq(int, spec_matches_names(&spec, &names), rows[i].entry), "%s", rows[i].name);
		names.name = "beam-return";
		cr_expect(eq(int, spec_matches_names(&spec, &names), rows[i].returns), "%s", rows[i].name);
		names.name = "beam-exception";
		cr_expect(eq(int, spec_matches_names(&spec, &names), rows[i].exception), "%s", rows[i].name);
	}
}

Test(d_probes, old_names_mean_probes_of_erlang_functions)
{
	static const struct {
		const char *provider, *module, *name;
		bool entry, returns;
	} rows[] = {
		{ "erlang*", "shop", "function-entry", true, false },
		{ "erlang1234", "shop", "global-function-entry", true, false },
		{ "erlang", "shop", "local-function-entry", true, false },
		{ "erlang*", "shop", "function-return", false, true },
		{ "erlang123", "shop", "function-return", false, false },
		{ "erlang*", "shop", "function-*", false, false },
		{ "erlang*", "", "function-entry", false, false },
		{ "erlang*", "beam.smp", "function-entry", false, false },
		{ "vm*", "shop", "function-entry", false, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct probe_spec spec = spec_of(rows[i].provider, rows[i].module, "order/2", rows[i].name);
		struct probe_names names = { 4, "vm1234", "beam.smp", "f", "beam-old-entry" };

		spec.beam = 1;
		cr_expect(eq(int, spec_matches_names(&spec, &names), rows[i].entry), "%zu", i);
		names.name = "beam-return";
		cr_expect(eq(int, spec_matches_names(&spec, &names), rows[i].returns), "%zu", i);
	}
}

Test(d_probes, erlang_functions_take_an_option)
{
	struct probes *probes = made(NULL);
	struct probe_spec spec = spec_of("beam*", "lists", "map/2", "entry");

	spec.beam = 1;
	cr_expect(eq(int, match(probes, spec, NULL), 0));
	cr_expect(ne(ptr, strstr(probes_why(probes), "change the node; -x via=vm"), NULL), "%s", probes_why(probes));
	probes_free(probes);
}

Test(d_probes, who_asks_for_other_providers_waits_for_no_vm)
{
	struct probe_spec specs[] = {
		spec_of("", "", "", "BEGIN"),
		spec_of("profile", "", "", ""),
		spec_of("", "", "", "tick-1s"),
		spec_of("pid123", "", "", "entry"),
		spec_of("erlang123", "", "", "message-send"),
	};
	struct probe_spec waits = spec_of("erlang*", "", "", "message-send");
	struct probes_options options = {};
	struct probes *probes = probes_new(&options);

	for (size_t i = 0; i < COUNT(specs); i++)
		cr_expect(eq(sz, erlang_may_come(probes, &specs[i]), 0), "%zu", i);
	cr_expect(eq(sz, erlang_may_come(probes, &waits), 1));
	probes_free(probes);
}

/* The command is held at its first instruction, where all that it is linked with is mapped. */
static struct child *entered(void)
{
	static char program[] = "/bin/sleep", time[] = "60";
	static char *command[] = { program, time, NULL };
	struct child *child = child_start(command);

	cr_assert(ne(ptr, child, NULL));
	cr_assert(eq(int, child_enter(child), 0));
	return child;
}

Test(d_probes, functions_of_a_process_are_found_by_file_and_name)
{
	struct child *child = entered();
	struct probes *probes = made(child);
	const struct d_probe *probe = NULL;
	char provider[32];

	snprintf(provider, sizeof(provider), "pid%d", child_pid(child));
	cr_expect(eq(int, match(probes, spec_of(provider, "libc.so.6", "malloc", "entry"), &probe), 1));
	cr_assert(ne(ptr, (void *)probe, NULL));
	expect_text(probe->names.module, "libc.so.6", "%s", probe->names.module);
	expect_text(probe->names.function, "malloc", "%s", probe->names.function);
	cr_expect(eq(int, (int)probe->hook, HOOK_PID_ENTRY));
	cr_expect(eq(int, probe->pid, child_pid(child)));
	cr_expect(eq(int, match(probes, spec_of(provider, "libc", "malloc", "return"), &probe), 1));
	cr_expect(eq(int, match(probes, spec_of(provider, "libc*", "malloc", "[er]*n*"), &probe), 2));
	cr_expect(eq(int, match(probes, spec_of(provider, "libc.so", "malloc", "entry"), &probe), 1));
	cr_expect(eq(int, match(probes, spec_of(provider, "libc.so.1", "malloc", "entry"), &probe), 1));
	cr_expect(eq(int, match(probes, spec_of(provider, "libc.so.2", "malloc", "entry"), &probe), 0));
	cr_expect(eq(int, match(probes, spec_of(provider, "lib", "malloc", "entry"), &probe), 0));
	cr_expect(gt(int, match(probes, spec_of(provider, "libc", "mem*", "entry"), &probe), 3));
	cr_expect(eq(int, match(probes, spec_of(provider, "libc", "no_such_function", "entry"), &probe), 0));
	cr_expect(eq(int, match(probes, spec_of(provider, "no_such_file", "malloc", "entry"), &probe), 0));
	probes_free(probes);
	child_free(child);
}

Test(d_probes, a_pattern_means_the_instructions_of_a_function_that_is_named)
{
	struct child *child = entered();
	struct probes *probes = made(child);
	const struct d_probe *probe = NULL;
	char provider[32];
	int all;

	snprintf(provider, sizeof(provider), "pid%d", child_pid(child));
	all = match(probes, spec_of(provider, "libc", "malloc", ""), &probe);
	cr_expect(gt(int, all, 10));
	cr_expect(eq(int, match(probes, spec_of(provider, "libc", "malloc", "*"), &probe), all));
	cr_expect(eq(int, match(probes, spec_of(provider, "libc", "malloc", "0"), &probe), 1));
	cr_expect(eq(int, (int)probe->hook, HOOK_PID_OFFSET));
	cr_expect(lt(int, match(probes, spec_of(provider, "libc", "malloc", "?"), &probe), all));
	/* Of functions that are not named: where they begin and where they return. */
	cr_expect(eq(int, match(probes, spec_of(provider, "libc", "mallop*", ""), &probe), 2));
	cr_expect(eq(int, match(probes, spec_of(provider, "a.out", "-", "1"), &probe), 0));
	cr_expect(eq(int, match(probes, spec_of(provider, "libc", "-", "1"), &probe), 0));
	probes_free(probes);
	child_free(child);
}

Test(d_probes, a_return_that_would_break_the_process_is_refused)
{
	struct child *child = entered();
	struct probes *probes = made(child);
	const struct d_probe *probe = NULL;
	char provider[32];

	snprintf(provider, sizeof(provider), "pid%d", child_pid(child));
	cr_expect(eq(int, match(probes, spec_of(provider, "libc", "_setjmp", "return"), &probe), 0));
	cr_expect(eq(int, match(probes, spec_of(provider, "libc", "_setjmp", "entry"), &probe), 1));
	probes_free(probes);
	child_free(child);
}

Test(d_probes, of_a_process_that_is_not_there_there_are_none)
{
	struct probes *probes = made(NULL);
	const struct d_probe *probe = NULL;

	cr_expect(eq(int, match(probes, spec_of("pid2147483647", "", "malloc", "entry"), &probe), 0));
	cr_expect(eq(int, match(probes, spec_of("pid99999999999999", "", "malloc", "entry"), &probe), 0));
	cr_expect(eq(int, match(probes, spec_of("pid*", "", "malloc", "entry"), &probe), 0));
	probes_free(probes);
}
