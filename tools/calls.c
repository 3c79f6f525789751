// SPDX-License-Identifier: BSD-2-Clause
/* calls: how long calls of BIFs, NIFs and functions take. See bpf/calls.bpf.c. */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

#include "tool.h"

#include "calls.skel.h"

static const struct column columns[] = {
	{ "pid", COLUMN_PID, -16, false },	 { "kind", COLUMN_TEXT, -9, false },
	{ "function", COLUMN_TEXT, -32, false }, { "began", COLUMN_TIME, -15, false },
	{ "took", COLUMN_DURATION, 8, false },	 { "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID, FIELD_KIND, FIELD_WHAT, FIELD_BEGAN, FIELD_TOOK, FIELD_NAME,
};

static const char *const kinds[CALLS_KINDS] = {
	[CALLS_BIF] = "bif",
	[CALLS_NIF] = "nif",
	[CALLS_DIRTY_NIF] = "dirty nif",
	[CALLS_FUNCTION] = "function",
};

/* Up to one of the characters in `end`; "*" ends it too, and then more may follow. What comes behind. */
static const char *take_part(const char *text, const char *end, struct pattern *part)
{
	size_t length = strcspn(text, end);

	part->is_prefix = text[length] == '*';
	for (size_t i = 0; i < length && part->size < sizeof(part->text) - 1; i++) {
		if (text[i] != '\'' || end[1] == '\0')
			part->text[part->size++] = text[i];
	}
	return text + length;
}

/* MODULE:FUNCTION/ARITY, or its beginning and "*". Atoms are compared without their quotes. */
static void parse_pattern(const char *text, struct calls_pattern *pattern)
{
	const char *at;

	pattern->is_any = !strcmp(text, "*");
	pattern->arity = -1;
	take_part(text, "*", &pattern->text);
	at = take_part(text, ":*", &pattern->module);
	at = *at == ':' ? take_part(at + 1, "/*", &pattern->function) : at;
	pattern->function.is_prefix |= pattern->module.is_prefix || !pattern->function.size;
	if (at[0] == '/' && at[1] && at[1] != '*')
		pattern->arity = atoi(at + 1);
}

static int configure(struct run *run)
{
	struct calls_pattern pattern = {};

	parse_pattern(run_options(run)->glob, &pattern);
	return run_set(run, "calls_pattern", &pattern, sizeof(pattern));
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[CALLS_ACCOUNTS] = {
		[CALLS_UNENDED] = { .name = "unended",
				    .text = "functions were not seen to return",
				    .one = "function was not seen to return" },
		[CALLS_DEEP] = { .name = "deep",
				 .text = "functions were nested too deep to be measured",
				 .one = "function was nested too deep to be measured" },
		[CALLS_HANDED_OVER] = { .name = "handed_over",
					.text = "calls of dirty NIFs were moved to a dirty scheduler",
					.one = "call of a dirty NIF was moved to a dirty scheduler" },
	};

	return run_accounts(run, accounts, CALLS_ACCOUNTS, notes);
}

static const struct tool_histogram hist = {
	.title = "time in a call",
	.unit = "ns",
	.metric = "call",
	.is_of_calls = true,
};

static const struct tool_probe not_always[] = {
	{ "erlang:nif-entry", NEEDED_NEVER, .without = "calls of NIFs are not seen" },
	{ "erlang:nif-return", NEEDED_NEVER },
	{ "erlang:local-function-entry", NEEDED_NEVER },
	{ "erlang:global-function-entry", NEEDED_NEVER },
	{ "erlang:function-return", NEEDED_NEVER },
	{ "erlang:process-exit", NEEDED_NEVER },
	{},
};

const struct tool tool_calls = {
	.name = "calls",
	.summary = "how long calls of BIFs, NIFs and functions take",
	.nothing = "no BIF or NIF was called",
	.instead = "`erlbpf help calls` lists which are not measured",
	.description =
		"Measures calls of BIFs and NIFs from call to return; --by function groups them by function. A BIF\n"
		"that traps (works in several steps) counts once for each step. A NIF that continues on a dirty\n"
		"scheduler counts once, there. BIFs that the JIT compiles inline (arithmetic, comparisons, most\n"
		"guards) are not measured. On VMs with notes but without the JIT, calls of Erlang functions are\n"
		"measured too. Each measured call becomes 1 to 2 us slower, and a busy node calls very many BIFs, so\n"
		"name those that you need: MODULE:FUNCTION/ARITY, or the beginning of that and \"*\"; those of Elixir\n"
		"also as Shop.Cart.add/2. '*' means all. Times include about 0.3 us of the probes, and about 15 us\n"
		"for a few tiny BIFs (self/0, comparisons).\n"
		"\n"
		"With --via vm, Erlang functions of a VM with the JIT are measured, at most 1000 per node. erlbpf\n"
		"connects to the node as a hidden node and asks it for breakpoints of the VM (trace_pattern with\n"
		"call_count and call_time; from OTP 27 on in a trace session of its own). A process on the node\n"
		"removes them when erlbpf ends or is killed, or if there are too many calls (--call-limit). A node\n"
		"on which another tracer traces one of the functions is not traced. Beyond the limit of\n"
		"--max-overhead, calls are measured in random windows; between these the VM only counts them, which\n"
		"takes about 20 ns. Histograms and the table of exceptions then have what was seen in the windows,\n"
		"and `entered` in the summary is the number of all calls.\n"
		"\n"
		"--show prints each call when it ends, with arguments, result and callers; --show --min only slow\n"
		"ones. The time of a tail call is part of the caller's time; a function that calls itself in a tail\n"
		"call, as a loop does, counts as one call. Calls that end with an exception are not in the histogram:\n"
		"a table counts them by function, class and reason (of a tuple, its first element), and --min prints\n"
		"them with the kind `exception`. NIFs are native code, and cannot be measured with --via vm. The\n"
		"summary counts all calls (entered), those that end with an exception (raised) or with their process\n"
		"(unreturned), tail calls of the function itself (tail), and those nested more than 32 deep (deep).\n"
		"The time of the probes is subtracted, also for nested calls; that of the VM's breakpoints, 0.3 to\n"
		"1 us each, is not. --by caller and --by arg --arg N group the calls by caller and by an argument.\n"
		"\n"
		"With --entry, calls of Erlang functions are counted or shown (--show) on entry, and their duration\n"
		"is not measured. By default this uses the debug registers of the processor (--via hw, x86-64): at\n"
		"most four functions, and the node does not change. Each iteration of a loop counts, as with\n"
		"call_count. Reloaded code is found within 0.1 s. On a virtual machine this needs --unsafe, because a\n"
		"hit can kill the node there (see SAFETY in the manual), and costs 5 to 6 us per call. There, or for\n"
		"more functions, use --entry --via vm. If only counts by function are needed, it reads the counters\n"
		"of the VM: exact, without a probe, 20 ns per call. With --show, --when, --erl-pid or another key of\n"
		"--by, a probe runs at each call, which costs 1.7 us.\n"
		"\n"
		"A node that has no matching function is not traced, and a message says why.",
	.examples = "# Which BIFs and NIFs take the most time?\n"
		    "erlbpf calls '*' --by function -d 10\n"
		    "# Every operation on ETS tables of 1 ms or more, when it ends\n"
		    "erlbpf calls 'ets:*' --min 1ms\n"
		    "# Which processes call binary_to_term, and how long does it take?\n"
		    "erlbpf calls 'erlang:binary_to_term*' --by name\n"
		    "# How long do calls of an Erlang function take? With which arguments and results?\n"
		    "erlbpf calls 'shop:order/2' --via vm --node shop\n"
		    "erlbpf calls 'shop:order/2' --via vm --node shop --show --min 10ms\n"
		    "# How often is it called, by which callers, with which arguments? The node does not change.\n"
		    "erlbpf calls 'shop:order/2' --entry -i 1\n"
		    "erlbpf calls 'shop:order/2' --entry --by caller -d 10\n"
		    "erlbpf calls 'shop:order/2' --entry --show --when 'arg(1) == vip'\n"
		    "# Which calls return {error, Reason}, with which arguments and callers?\n"
		    "erlbpf calls 'shop:*' --via vm --node shop --show --when 'element(1, result()) == error'",
	.takes = TAKES_BY_PROCESS | TAKES_BY_SCHEDULER | TAKES_BY_FUNCTION | TAKES_MIN | TAKES_ERL_PID |
		 TAKES_FUNCTIONS | TAKES_SHOW | TAKES_VIA | TAKES_BY_CALLER | TAKES_BY_ARGUMENT,
	.args = TOOL_ARG(0) | TOOL_ARG(1),
	.elf = calls_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.other_columns = functions_columns,
	.kinds = { kinds, CALLS_KINDS },
	.hist = &hist,
	.not_always = not_always,
	.via_vm = &tool_functions,
	.of_entries = &tool_entries,
	.configure = configure,
	.notes = notes,
};
