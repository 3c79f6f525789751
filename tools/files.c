// SPDX-License-Identifier: BSD-2-Clause
/* files: what do file operations cost, and how long do they wait to begin? See bpf/files.bpf.c. */
#include "files.h"

#include "operation.h"
#include "tool.h"

#include "files.skel.h"

static const struct column columns[] = {
	{ "began", COLUMN_TIME, -15, false },	 { "kind", COLUMN_TEXT, -9, false },
	{ "function", COLUMN_TEXT, -22, false }, { "pid", COLUMN_PID, -16, false },
	{ "took", COLUMN_DURATION, 8, false },	 { "bytes", COLUMN_SIGNED, 10, false, "bytes" },
	{ "queue", COLUMN_SIGNED, 5, false },	 { "file", COLUMN_TEXT, -32, false },
	{ "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_BEGAN,
	FIELD_KIND,
	FIELD_FUNCTION,
	FIELD_PID,
	FIELD_TOOK,
	FIELD_AMOUNT_0 + OPERATION_BYTES,
	FIELD_AMOUNT_0 + FILES_QUEUE,
	FIELD_WHAT,
	FIELD_NAME,
};

static const char *const kinds[FILES_KINDS] = { [FILES_OPERATION] = "operation", [FILES_WAIT] = "wait" };

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[FILES_ACCOUNTS] = {
		[FILES_JOBS] = { .name = "dirty_io_jobs",
				 .text = "NIFs were run by dirty I/O schedulers",
				 .one = "NIF was run by a dirty I/O scheduler" },
	};
	size_t count = run_accounts(run, accounts, FILES_ACCOUNTS, notes);

	notes[count] = (struct sink_note){
		.name = "longest_queue",
		.text = "NIFs at most waited for a dirty I/O scheduler at a time",
		.one = "NIF at most waited for a dirty I/O scheduler at a time",
		.count = run_sum(run, "longest_queue", 0),
	};
	return count + 1;
}

static const struct tool_histogram hist = {
	.title = "time in a file operation",
	.unit = "ns",
	.metric = "file-operation",
	.is_of_calls = true,
};

const struct tool tool_files = {
	.name = "files",
	.summary = "how long file operations take, and how long they wait to start",
	.nothing = "no file operation ended",
	.description =
		"Measures the operations of prim_file, which the module file uses: how often they are called, how\n"
		"long they take and how many bytes they transfer, by function of the VM (efile_open,\n"
		"efile_readv...). Before an operation, a process waits for a dirty I/O scheduler. This wait has\n"
		"its own row, as have the waits of other NIFs for these schedulers. Waits are in the histogram\n"
		"only with --by function, name or kind, under their own key. --by name groups operations by file;\n"
		"a file that was opened before the trace started is shown by its descriptor, \"fd 17\".",
	.examples = "# Until Ctrl-C, calls, bytes and time by function, and the waits\n"
		    "erlbpf files\n"
		    "# Which files take the most time?\n"
		    "erlbpf files --by name -d 10\n"
		    "# Every operation and wait of 10 ms or more, when it ends\n"
		    "erlbpf files --min 10ms -T",
	.takes = TAKES_BY_PROCESS | TAKES_BY_FUNCTION | TAKES_BY_KIND | TAKES_BY_SCHEDULER | TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3),
	.elf = files_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.other_columns = operations_columns,
	.kinds = { kinds, FILES_KINDS },
	.hist = &hist,
	.configure = run_operations_configure,
	.snapshot = run_operations_snapshot,
	.notes = notes,
};
