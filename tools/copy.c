// SPDX-License-Identifier: BSD-2-Clause
/* copy: how many words of terms are copied. See bpf/copy.bpf.c. */
#include "copy.h"

#include "erl.h"
#include "tool.h"

#include "copy.skel.h"

enum { KIND, COPIES, WORDS, MAX, COLUMNS };

static const struct column columns[COLUMNS] = {
	[KIND] = { "kind", COLUMN_TEXT, -8, false },
	[COPIES] = { "copies", COLUMN_NUMBER, 12, false },
	[WORDS] = { "words", COLUMN_NUMBER, 12, false, "words" },
	[MAX] = { "max", COLUMN_NUMBER, 12, false, "words" },
};

static const char *const kinds[ERL_CALLERS] = {
	[ERL_CALLER_OTHER] = "other",	[ERL_CALLER_MESSAGE] = "message", [ERL_CALLER_SPAWN] = "spawn",
	[ERL_CALLER_SIGNAL] = "signal", [ERL_CALLER_ETS] = "ets",	  [ERL_CALLER_LITERAL] = "literal",
	[ERL_CALLER_ETS_STORE] = "ets",
};

static int configure(struct run *run)
{
	struct copy_config config = { .counters = !run_options(run)->by };

	if (!config.counters)
		run_draws(run, NULL, 0);
	return run_set(run, "copy_config", &config, sizeof(config));
}

static void fill_row(struct run *run, const struct counter_row *row, struct value *cells)
{
	uint64_t kind = erl_id_value(row->key.id);

	(void)run;
	cells[KIND].text = kind < ERL_CALLERS ? kinds[kind] : kinds[ERL_CALLER_OTHER];
	cells[COPIES].number = row->counter.count;
	cells[WORDS].number = row->counter.sum;
	cells[MAX].number = row->counter.max;
}

static int snapshot(struct run *run)
{
	return run_options(run)->by ? 0 : run_counter_table(run, COLUMNS, fill_row);
}

static const struct tool_histogram hist = {
	.title = "size of a copied term",
	.unit = "words",
	.metric = "copied",
};

const struct tool tool_copy = {
	.name = "copy",
	.summary = "how many words of terms are copied, and why",
	.nothing = "no term was copied",
	.description =
		"The VM copies terms into messages, to the heap of a new process, into ETS tables and out of\n"
		"them, into signals such as exits, and into literals (of code and of persistent_term). The kind\n"
		"is derived from the caller of the copying function; `other` includes timers and process_info.\n"
		"A term of one word, such as an atom, is not copied. The process shown is the one that copies:\n"
		"the sender of a message, or the parent of a new process. It is unknown until a scheduler picks\n"
		"it for the first time after the trace starts.",
	.examples = "# How much is copied, and why?\n"
		    "erlbpf copy -d 10\n"
		    "# Which processes copy most?\n"
		    "erlbpf copy --by name -d 10",
	.takes = TAKES_BY_PROCESS | TAKES_BY_SCHEDULER | TAKES_BY_KIND | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1),
	.elf = copy_bpf__elf_bytes,
	.columns = { columns, COLUMNS },
	.kinds = { kinds, ERL_CALLERS },
	.hist = &hist,
	.configure = configure,
	.snapshot = snapshot,
};
