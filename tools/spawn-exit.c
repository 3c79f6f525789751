// SPDX-License-Identifier: BSD-2-Clause
/* spawn-exit: births, ends and exit signals of processes. See bpf/spawn-exit.bpf.c. */
#include "spawn-exit.h"

#include "tool.h"

#include "spawn-exit.skel.h"

#define REASON_TEXT 8192

enum { EVENT, PID, NAME, OTHER, OTHER_NAME, MFA, REASON, COLUMNS };

static const struct column columns[COLUMNS] = {
	[EVENT] = { "event", COLUMN_TEXT, -13, false },
	[PID] = { "pid", COLUMN_PID, -16, false },
	[NAME] = { "name", COLUMN_TEXT, -24, false },
	[OTHER] = { "other", COLUMN_PID, -16, false },
	[OTHER_NAME] = { "other_name", COLUMN_TEXT, -24, false },
	[MFA] = { "mfa", COLUMN_TEXT, -32, false },
	[REASON] = { "reason", COLUMN_TEXT, 0, false },
};

static const struct {
	const char *name;
	const char *probe;
} kinds[SPAWN_EXIT_KINDS] = {
	[SPAWN_EXIT_SPAWN] = { "spawn", "process-spawn" },
	[SPAWN_EXIT_EXIT] = { "exit", "process-exit" },
	[SPAWN_EXIT_SIGNAL] = { "signal", "process-exit_signal" },
	[SPAWN_EXIT_REMOTE_SIGNAL] = { "remote signal", "process-exit_signal-remote" },
};

static int configure(struct run *run)
{
	struct spawn_exit_config config = { .erl_pid = run_options(run)->erl_pid };

	run_with_terms(run);
	return run_set(run, "spawn_exit_config", &config, sizeof(config));
}

static struct value pid(uint64_t id)
{
	return (struct value){ .number = id, .is_null = !id };
}

/* The data behind the event as text; "" if it is missing or incomplete. */
static const char *reason_of(struct run *run, const struct spawn_exit_event *e, size_t size, char buf[REASON_TEXT])
{
	const struct term_snapshot *reason = (const void *)(e + 1);

	size -= sizeof(*e);
	if (e->reason == SPAWN_EXIT_TEXT && size && !((const char *)reason)[size - 1])
		return (const char *)reason;
	if (e->reason == SPAWN_EXIT_TERM && size >= TERM_SNAPSHOT_HEAD && size >= term_snapshot_size(reason))
		return run_term(run, (int)e->os_id, reason, buf, REASON_TEXT);
	return "";
}

static void event(struct run *run, const void *record, size_t size)
{
	const struct spawn_exit_event *e = record;
	int os_id = (int)e->os_id;
	char reason[REASON_TEXT];
	struct value values[COLUMNS];
	struct sink_event shown = { .values = values };

	if (size < sizeof(*e) || e->kind >= SPAWN_EXIT_KINDS)
		return;
	shown.probe = kinds[e->kind].probe;
	shown.time_ns = run_wall_ns(run, e->time_ns);
	shown.os_id = os_id;
	shown.node = run_node(run, os_id);
	values[EVENT] = value_of_text(kinds[e->kind].name);
	values[PID] = pid(e->id);
	values[NAME] = value_of_text(run_id(run, os_id, e->name));
	values[OTHER] = pid(e->other);
	values[OTHER_NAME] = value_of_text(run_id(run, os_id, e->other_name));
	values[MFA] = value_of_text(run_id(run, os_id, e->call));
	values[REASON] = value_of_text(reason_of(run, e, size, reason));
	run_event(run, &shown);
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[SPAWN_EXIT_ACCOUNTS] = {
		[SPAWN_EXIT_GONE] = { .name = "gone",
				      .text = "exit signals were for processes that had already exited",
				      .one = "exit signal was for a process that had already exited" },
	};

	return run_accounts(run, accounts, SPAWN_EXIT_ACCOUNTS, notes);
}

const struct tool tool_spawn_exit = {
	.name = "spawn-exit",
	.summary = "which processes start and exit, why, and which exit signals they send",
	.nothing = "no process was spawned, exited or sent an exit signal",
	.instead = "`erlbpf top` shows the processes that live",
	.description =
		"Prints each process that is spawned, each process that exits, and each exit signal, including\n"
		"those to other nodes, when they happen. OTHER is the parent for a spawn or an exit, and the\n"
		"receiver for a signal. MFA is the function that the process was spawned to run. For proc_lib,\n"
		"gen and spawn(Fun) it is the function that these call, if the arguments of the spawn contain it.\n"
		"Reasons are printed like ~0p; about 2000 bytes of a term are read, and `...` stands for the rest.\n"
		"If another scheduler runs a new process at once, its exit may be printed before its spawn; the\n"
		"times are correct.",
	.examples = "# All processes that start and exit on this machine\n"
		    "erlbpf spawn-exit -T\n"
		    "# What happens to the children of one supervisor?\n"
		    "erlbpf spawn-exit --erl-pid '<0.91.0>'",
	.takes = TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3) | TOOL_ARG(ERL_ARG_MODULE) |
		TOOL_ARG(ERL_ARG_FUNCTION) | TOOL_ARG(ERL_ARG_PARENT) | TOOL_ARG(ERL_ARG_TERM),
	.elf = spawn_exit_bpf__elf_bytes,
	.columns = { columns, COLUMNS },
	.configure = configure,
	.event = event,
	.notes = notes,
};
