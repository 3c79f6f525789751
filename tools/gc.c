// SPDX-License-Identifier: BSD-2-Clause
/* gc: how long garbage collections stop their processes. See bpf/gc.bpf.c. */
#include "gc.h"

#include "tool.h"

#include "gc.skel.h"

enum { PID, KIND, BEGAN, PAUSE, NEED, RECLAIMED, NAME, COLUMNS };

static const struct column columns[COLUMNS] = {
	[PID] = { "pid", COLUMN_PID, -16, false },
	[KIND] = { "kind", COLUMN_TEXT, -5, false },
	[BEGAN] = { "began", COLUMN_TIME, -15, false },
	[PAUSE] = { "pause", COLUMN_DURATION, 8, false },
	[NEED] = { "need", COLUMN_NUMBER, 10, false, "words" },
	[RECLAIMED] = { "reclaimed", COLUMN_SIGNED, 10, false, "words" },
	[NAME] = { "name", COLUMN_TEXT, 0, false },
};

static void event(struct run *run, const void *record, size_t size)
{
	const struct gc_event *e = record;
	char name[RUN_NAME_SIZE];
	struct value values[COLUMNS];
	struct sink_event shown = { .values = values };

	if (size < sizeof(*e))
		return;
	values[PID] = (struct value){ .number = e->id };
	values[KIND] = (struct value){ .text = e->is_major ? "major" : "minor" };
	values[BEGAN] = (struct value){ .number = run_wall_ns(run, e->start_ns) };
	values[PAUSE] = (struct value){ .number = e->end_ns - e->start_ns };
	values[NEED] = (struct value){ .is_null = !e->has_need, .number = e->need };
	values[RECLAIMED] = (struct value){ .is_null = !e->has_reclaimed, .number = e->reclaimed };
	shown.probe = e->is_major ? "gc_major-end" : "gc_minor-end";
	shown.time_ns = run_wall_ns(run, e->end_ns);
	shown.os_pid = (int)e->os_pid;
	shown.node = run_node(run, shown.os_pid);
	values[NAME].text = run_process_name(run, shown.os_pid, e->id, name);
	values[NAME].is_null = !*values[NAME].text;
	run_event(run, &shown);
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note fates[GC_FATES] = {
		[GC_MINOR] = { .name = "minor", .text = "minor collections" },
		[GC_MAJOR] = { .name = "major", .text = "major collections" },
		[GC_UNSEEN] = { .name = "unseen", .text = "collections began before the trace did" },
		[GC_UNPRINTED] = { .name = "unprinted", .is_loss = true,
				   .text = "collections came too fast to be printed" },
	};

	return run_fates(run, fates, GC_FATES, notes);
}

const struct tool tool_gc = {
	.name = "gc",
	.summary = "how long garbage collections stop their processes",
	.description =
		"From the beginning of a collection of a process to its end, minor and major ones. With notes,\n"
		"a minor collection that turns out too small and the major one that follows are two; without\n"
		"notes they are one major collection. The words needed and reclaimed are shown where they can\n"
		"be had.",
	.examples =
		"# Until Ctrl-C, one histogram of all nodes on this machine\n"
		"erlbpf gc\n"
		"# Which processes pause longest?\n"
		"erlbpf gc --by pid -d 10\n"
		"# Every pause of 5 ms or more, as it ends\n"
		"erlbpf gc --min 5ms -T",
	.takes = TAKES_BY_PID | TAKES_BY_NODE | TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1),
	.elf = gc_bpf__elf_bytes,
	.columns = columns,
	.column_count = COLUMNS,
	.hist_title = "garbage collection pause",
	.hist_unit = "ns",
	.event = event,
	.notes = notes,
};
