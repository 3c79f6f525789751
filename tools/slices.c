// SPDX-License-Identifier: BSD-2-Clause
/* slices: how long processes keep their scheduler. See bpf/slices.bpf.c. */
#include "slices.h"

#include "tool.h"

#include "slices.skel.h"

enum { PID, BEGAN, RAN, THREAD, NAME, COLUMNS };

static const struct column columns[COLUMNS] = {
	[PID] = { "pid", COLUMN_PID, -16, false },
	[BEGAN] = { "began", COLUMN_TIME, -15, false },
	[RAN] = { "ran", COLUMN_DURATION, 8, false },
	[THREAD] = { "thread", COLUMN_NUMBER, 8, false },
	[NAME] = { "name", COLUMN_TEXT, 0, false },
};

static void event(struct run *run, const void *record, size_t size)
{
	const struct slices_event *e = record;
	char name[RUN_NAME_SIZE];
	struct value values[COLUMNS];
	struct sink_event shown = { .probe = "process-unscheduled", .values = values };

	if (size < sizeof(*e))
		return;
	values[PID] = (struct value){ .number = e->id };
	values[BEGAN] = (struct value){ .number = run_wall_ns(run, e->start_ns) };
	values[RAN] = (struct value){ .number = e->end_ns - e->start_ns };
	values[THREAD] = (struct value){ .number = e->thread };
	shown.time_ns = run_wall_ns(run, e->end_ns);
	shown.os_pid = (int)e->os_pid;
	shown.node = run_node(run, shown.os_pid);
	values[NAME].text = run_process_name(run, shown.os_pid, e->id, name);
	values[NAME].is_null = !*values[NAME].text;
	run_event(run, &shown);
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note fates[SLICES_FATES] = {
		[SLICES_UNSEEN] = { .name = "unseen", .text = "slices began before the trace did" },
		[SLICES_UNPRINTED] = { .name = "unprinted", .is_loss = true,
				       .text = "slices came too fast to be printed" },
	};

	return run_fates(run, fates, SLICES_FATES, notes);
}

const struct tool tool_slices = {
	.name = "slices",
	.summary = "how long processes keep their scheduler",
	.description =
		"From the moment a scheduler picks a process to the moment it lets it go, dirty schedulers\n"
		"included. A slice of more than some milliseconds on a normal scheduler is a BIF or a NIF that\n"
		"does not yield, and everybody behind it in the run queue waits.",
	.examples =
		"# Until Ctrl-C, one histogram of all nodes on this machine\n"
		"erlbpf slices\n"
		"# Every slice of 20 ms or more, as it ends\n"
		"erlbpf slices --min 20ms -T\n"
		"# Which processes keep a scheduler longest?\n"
		"erlbpf slices --by pid -d 10",
	.takes = TAKES_BY_PID | TAKES_BY_NODE | TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0),
	.elf = slices_bpf__elf_bytes,
	.columns = columns,
	.column_count = COLUMNS,
	.hist_title = "time on a scheduler",
	.hist_unit = "ns",
	.event = event,
	.notes = notes,
};
