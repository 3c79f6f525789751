// SPDX-License-Identifier: BSD-2-Clause
/* births: how many processes are spawned and exit. See bpf/births.bpf.c. */
#include "births.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "tool.h"

#include "births.skel.h"

enum { PROCESS, KEY, SPAWNED, EXITED, SPAWNED_PER_S, EXITED_PER_S, LIVED, LIVED_LONGEST, COLUMNS };

static const struct column columns[COLUMNS] = {
	[PROCESS] = { "process", COLUMN_NUMBER, -8, false },
	[KEY] = { "key", COLUMN_TEXT, -40, false },
	[SPAWNED] = { "spawned", COLUMN_NUMBER, 10, false },
	[EXITED] = { "exited", COLUMN_NUMBER, 10, false },
	[SPAWNED_PER_S] = { "spawned_per_s", COLUMN_NUMBER, 13, false },
	[EXITED_PER_S] = { "exited_per_s", COLUMN_NUMBER, 12, false },
	[LIVED] = { "lived", COLUMN_DURATION, 8, false },
	[LIVED_LONGEST] = { "longest", COLUMN_DURATION, 8, false },
};

/* When the rates of the next table begin. */
static uint64_t since_ns;

static int configure(struct run *run)
{
	const struct options *o = run_options(run);
	struct births_config config = {
		.erl_pid = o->erl_pid,
		.by = o->by == TAKES_BY_PID ? BIRTHS_BY_PID : o->by == TAKES_BY_NAME ? BIRTHS_BY_NAME
		    : o->by == TAKES_BY_MFA ? BIRTHS_BY_MFA : BIRTHS_BY_NODE,
	};

	since_ns = duration_now();
	return run_set(run, "births_config", &config, sizeof(config));
}

/* A line of the table: what was tallied of one key. */
struct line {
	struct tally_key key;
	uint64_t spawned, exited, measured, lived_ns, longest_ns;
};

static struct line line_of(const struct tally_row *row)
{
	struct line line = { .key = row->key };

	if (row->key.kind == BIRTHS_SPAWN)
		line.spawned = row->tally.count;
	else
		line.exited = row->tally.count;
	if (row->key.kind == BIRTHS_EXIT) {
		line.measured = row->tally.count;
		line.lived_ns = row->tally.sum;
		line.longest_ns = row->tally.max;
	}
	return line;
}

static int by_key(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->key.os_pid != y->key.os_pid)
		return x->key.os_pid < y->key.os_pid ? -1 : 1;
	return x->key.id < y->key.id ? -1 : x->key.id > y->key.id;
}

static void merge(struct line *to, const struct line *from)
{
	to->spawned += from->spawned;
	to->exited += from->exited;
	to->measured += from->measured;
	to->lived_ns += from->lived_ns;
	to->longest_ns = from->longest_ns > to->longest_ns ? from->longest_ns : to->longest_ns;
}

/* The kinds of one key become one line; how many lines there are. */
static size_t make_lines(const struct tally_row *rows, size_t row_count, struct line *lines)
{
	size_t count = 0;

	for (size_t i = 0; i < row_count; i++)
		lines[i] = line_of(&rows[i]);
	qsort(lines, row_count, sizeof(*lines), by_key);
	for (size_t i = 0; i < row_count; i++) {
		if (count && !by_key(&lines[count - 1], &lines[i]))
			merge(&lines[count - 1], &lines[i]);
		else
			lines[count++] = lines[i];
	}
	return count;
}

static int by_spawned(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->spawned != y->spawned)
		return x->spawned > y->spawned ? -1 : 1;
	return x->exited > y->exited ? -1 : x->exited < y->exited;
}

static const char *key_text(struct run *run, const struct line *line)
{
	if (!line->key.os_pid)
		return "other";
	if (run_options(run)->by == TAKES_BY_NODE || !run_options(run)->by) {
		const char *node = run_node(run, (int)line->key.os_pid);

		return *node ? node : "(no name)";
	}
	return line->key.id ? run_id(run, (int)line->key.os_pid, line->key.id) : "(unknown)";
}

static uint64_t per_second(uint64_t count, uint64_t ns)
{
	return ns ? (uint64_t)((double)count * NS_PER_S / (double)ns + 0.5) : 0;
}

static void fill(struct run *run, const struct line *line, uint64_t ns, struct value cells[COLUMNS])
{
	cells[PROCESS] = (struct value){ .number = line->key.os_pid };
	cells[KEY] = (struct value){ .text = key_text(run, line) };
	cells[SPAWNED].number = line->spawned;
	cells[EXITED].number = line->exited;
	cells[SPAWNED_PER_S].number = per_second(line->spawned, ns);
	cells[EXITED_PER_S].number = per_second(line->exited, ns);
	cells[LIVED] = (struct value){ .is_null = !line->measured };
	cells[LIVED_LONGEST] = cells[LIVED];
	if (line->measured) {
		cells[LIVED].number = line->lived_ns / line->measured;
		cells[LIVED_LONGEST].number = line->longest_ns;
	}
}

static int snapshot(struct run *run)
{
	const struct tally_row *rows;
	_cleanup_free_ struct line *lines = NULL;
	_cleanup_free_ struct value *cells = NULL;
	size_t row_count, count;
	uint64_t now = duration_now(), ns = now - since_ns;
	int err = run_tally(run, &rows, &row_count);
	struct sink_table table;

	if (err)
		return err;
	lines = calloc(row_count + 1, sizeof(*lines));
	cells = calloc((row_count + 1) * COLUMNS, sizeof(*cells));
	if (!lines || !cells)
		return -ENOMEM;
	count = make_lines(rows, row_count, lines);
	qsort(lines, count, sizeof(*lines), by_spawned);
	for (size_t i = 0; i < count; i++)
		fill(run, &lines[i], ns, cells + i * COLUMNS);
	table = (struct sink_table){ .cells = cells, .rows = count };
	run_table(run, &table);
	since_ns = now;
	return 0;
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note fates[BIRTHS_FATES] = {
		[BIRTHS_OLD] = { .name = "old", .text = "exits of processes that were not seen to be spawned" },
	};

	return run_fates(run, fates, BIRTHS_FATES, notes);
}

const struct tool tool_births = {
	.name = "births",
	.summary = "how many processes are spawned and exit, and how long they lived",
	.description =
		"Spawns and exits of processes, in all and per second, and how long those lived that were\n"
		"spawned and exited within the trace: on average, and the longest. With --by mfa they are told\n"
		"apart by what they run, those of proc_lib by what they really run; with --by pid or name by\n"
		"who spawns them. Where a node was traced later than a process was spawned, the exit is one\n"
		"without a spawner, and without a time.",
	.examples =
		"# What is spawned so often? Every second\n"
		"erlbpf births --by mfa 1\n"
		"# Who spawns it?\n"
		"erlbpf births --by name -d 10",
	.takes = TAKES_BY_PROCESS | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3) | TOOL_ARG(4),
	.elf = births_bpf__elf_bytes,
	.columns = columns,
	.column_count = COLUMNS,
	.configure = configure,
	.snapshot = snapshot,
	.notes = notes,
};
