// SPDX-License-Identifier: BSD-2-Clause
/* gc: how long garbage collections stop their processes. See bpf/gc.bpf.c. */
#include "gc.h"

#include "tool.h"

#include "gc.skel.h"

static const struct column columns[] = {
	{ "pid", COLUMN_PID, -16, false },
	{ "kind", COLUMN_TEXT, -5, false },
	{ "began", COLUMN_TIME, -15, false },
	{ "pause", COLUMN_DURATION, 8, false },
	{ "need", COLUMN_SIGNED, 10, false, "words" },
	{ "reclaimed", COLUMN_SIGNED, 10, false, "words" },
	{ "before", COLUMN_SIGNED, 10, false, "words" },
	{ "after", COLUMN_SIGNED, 10, false, "words" },
	{ "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID,
	FIELD_KIND,
	FIELD_BEGAN,
	FIELD_TOOK,
	FIELD_AMOUNT_0 + GC_NEED,
	FIELD_AMOUNT_0 + GC_RECLAIMED,
	FIELD_AMOUNT_0 + GC_BEFORE,
	FIELD_AMOUNT_0 + GC_AFTER,
	FIELD_NAME,
};

static const char *const kinds[GC_KINDS] = { [GC_MINOR] = "minor", [GC_MAJOR] = "major" };

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[GC_KINDS] = {
		[GC_MINOR] = { .name = "minor", .text = "minor collections", .one = "minor collection" },
		[GC_MAJOR] = { .name = "major", .text = "major collections", .one = "major collection" },
	};

	return run_accounts(run, accounts, GC_KINDS, notes);
}

static const struct tool_histogram hist = {
	.title = "garbage collection pause",
	.unit = "ns",
	.metric = "gc-pause",
};

const struct tool tool_gc = {
	.name = "gc",
	.summary = "how long garbage collections pause processes",
	.nothing = "no process was garbage-collected",
	.description = "Measures minor and major garbage collections of processes, from start to end. Sometimes a\n"
		       "minor collection frees too little and a major one follows: a VM with notes reports two\n"
		       "collections, a VM without notes one major collection. --min prints each long pause with the\n"
		       "number of words that were needed and reclaimed, and the words in use before and after. These\n"
		       "include the old and the young heap and heap fragments; `before` also includes the messages\n"
		       "that the collection copies to the heap.",
	.examples = "# Until Ctrl-C, one histogram of all nodes on this machine\n"
		    "erlbpf gc\n"
		    "# Which processes pause longest?\n"
		    "erlbpf gc --by pid -d 10\n"
		    "# Every pause of 5 ms or more, when it ends\n"
		    "erlbpf gc --min 5ms -T",
	.takes = TAKES_BY_PROCESS | TAKES_BY_SCHEDULER | TAKES_BY_KIND | TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1),
	.elf = gc_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.kinds = { kinds, GC_KINDS },
	.hist = &hist,
	.notes = notes,
};
