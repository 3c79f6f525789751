// SPDX-License-Identifier: BSD-2-Clause
/* tasks: how long the tasks of ports wait. See bpf/tasks.bpf.c. */
#include "tasks.h"

#include "tool.h"

#include "tasks.skel.h"

static const struct column columns[] = {
	{ "port", COLUMN_PID, -16, false },	  { "kind", COLUMN_TEXT, -7, false },
	{ "scheduled", COLUMN_TIME, -15, false }, { "waited", COLUMN_DURATION, 8, false },
	{ "owner", COLUMN_TEXT, -16, false },	  { "scheduler", COLUMN_TEXT, -12, false },
	{ "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID, FIELD_KIND, FIELD_BEGAN, FIELD_TOOK, FIELD_ID_0 + TASKS_OWNER, FIELD_SCHEDULER, FIELD_NAME,
};

static const char *const kinds[TASKS_KINDS] = {
	[TASKS_INPUT] = "input", [TASKS_OUTPUT] = "output", [TASKS_TIMEOUT] = "timeout",
	[TASKS_DIST] = "dist",	 [TASKS_SIGNAL] = "signal",
};

static int configure(struct run *run)
{
	__u32 by_kind = run_options(run)->by == TAKES_BY_KIND;

	return run_set(run, "by_kind", &by_kind, sizeof(by_kind));
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[TASKS_ACCOUNTS] = {
		[TASKS_ABORTED] = { .name = "aborted",
				    .text = "tasks were cancelled before they ran",
				    .one = "task was cancelled before it ran" },
		[TASKS_QUICK] = { .name = "quick",
				  .text = "tasks ended before they were registered, and were not measured",
				  .one = "task not measured: it ended before its start was recorded" },
	};

	return run_accounts(run, accounts, TASKS_ACCOUNTS, notes);
}

static const struct tool_histogram hist = {
	.title = "port task: scheduled to executed",
	.unit = "ns",
	.metric = "port-task-wait",
};

const struct tool tool_tasks = {
	.name = "tasks",
	.summary = "how long port tasks wait for a scheduler",
	.nothing = "no port task was executed",
	.instead = "`erlbpf drivers` also shows the calls that need no task",
	.description =
		"A task is work that waits in the queue of a port: input or output that is ready, a timeout, a\n"
		"command of the distribution, or a signal, which is a request from a process to a port that is\n"
		"busy or was opened with {parallelism, true}. The time is measured from when the task enters the\n"
		"queue to when a scheduler executes it. Requests to an idle port need no task, because the VM\n"
		"executes them at once.",
	.examples = "# Until Ctrl-C, one histogram of all nodes on this machine\n"
		    "erlbpf tasks\n"
		    "# The tasks of which ports wait? For 10 seconds\n"
		    "erlbpf tasks --by port -d 10\n"
		    "# Every task that waited for 5 ms or more\n"
		    "erlbpf tasks --min 5ms -T",
	.takes = TAKES_BY_PID | TAKES_BY_NAME | TAKES_BY_NODE | TAKES_BY_SCHEDULER | TAKES_BY_PORT | TAKES_BY_KIND |
		 TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2),
	.elf = tasks_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.kinds = { kinds, TASKS_KINDS },
	.hist = &hist,
	.configure = configure,
	.notes = notes,
};
