// SPDX-License-Identifier: BSD-2-Clause
/* heap: how the heaps of processes grow and shrink. See bpf/heap.bpf.c. */
#include "heap.h"

#include "tool.h"

#include "heap.skel.h"

static const struct column columns[] = {
	{ "pid", COLUMN_PID, -16, false },
	{ "kind", COLUMN_TEXT, -6, false },
	{ "old", COLUMN_SIGNED, 12, false, "words" },
	{ "new", COLUMN_SIGNED, 12, false, "words" },
	{ "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID, FIELD_KIND, FIELD_AMOUNT_0 + HEAP_OLD, FIELD_AMOUNT_0 + HEAP_NEW, FIELD_NAME,
};

static const char *const kinds[HEAP_KINDS] = { [HEAP_GROWS] = "grow", [HEAP_SHRINKS] = "shrink" };

static int configure(struct run *run)
{
	struct heap_config config = { .prints = !run_options(run)->by };

	return run_set(run, "heap_config", &config, sizeof(config));
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[HEAP_KINDS] = {
		[HEAP_GROWS] = { .name = "grown", .text = "times heaps grew", .one = "time a heap grew" },
		[HEAP_SHRINKS] = { .name = "shrunk", .text = "times heaps shrank", .one = "time a heap shrank" },
	};

	return run_accounts(run, accounts, HEAP_KINDS, notes);
}

static const struct tool_histogram hist = {
	.title = "heap size after it grew or shrank",
	.unit = "words",
	.metric = "heap-size",
};

const struct tool tool_heap = {
	.name = "heap",
	.summary = "how the heaps of processes grow and shrink",
	.nothing = "no heap grew or shrank",
	.description = "Prints each change of a heap's size when it happens, and at the end a histogram of the new\n"
		       "sizes. With --by, only prints histograms, one for each key. The size is that of the young\n"
		       "heap, including the stack. On a VM without notes, several changes within one garbage\n"
		       "collection appear as one.",
	.examples = "# Every change, with times\n"
		    "erlbpf heap -T\n"
		    "# Which functions run in processes with large heaps?\n"
		    "erlbpf heap --by mfa -d 10",
	.takes = TAKES_BY_PROCESS | TAKES_BY_KIND | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2),
	.elf = heap_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.kinds = { kinds, HEAP_KINDS },
	.hist = &hist,
	.configure = configure,
	.notes = notes,
};
