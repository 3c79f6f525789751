// SPDX-License-Identifier: BSD-2-Clause
/* births: how many processes are born and end. See bpf/births.bpf.c. */
#include "births.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "tool.h"

#include "births.skel.h"

enum { KEY, NAME, SPAWNED, SPAWNED_S, EXITED, EXITED_S, NODE, COLUMNS };

static const struct column columns[COLUMNS] = {
	[KEY] = { "key", COLUMN_TEXT, -40, false },
	[NAME] = { "name", COLUMN_TEXT, -24, false },
	[SPAWNED] = { "spawned", COLUMN_NUMBER, 10, false, .metric = "processes-spawned" },
	[SPAWNED_S] = { "spawned_s", COLUMN_NUMBER, 10, false, "per second" },
	[EXITED] = { "exited", COLUMN_NUMBER, 10, false, .metric = "processes-exited" },
	[EXITED_S] = { "exited_s", COLUMN_NUMBER, 10, false, "per second" },
	[NODE] = { "node", COLUMN_TEXT, 0, false },
};

#define TICK_NS (NS_PER_S / 5)

struct births {
	uint64_t from_ns; /* the interval that is being shown begins here */
};

static enum births_by by_of(enum option_set by)
{
	switch (by) {
	case TAKES_BY_MFA: return BIRTHS_BY_MFA;
	case TAKES_BY_PID: return BIRTHS_BY_PID;
	case TAKES_BY_NAME: return BIRTHS_BY_NAME;
	case TAKES_BY_NODE: return BIRTHS_BY_NODE;
	default: return BIRTHS_ALL;
	}
}

static int configure(struct run *run)
{
	const struct options *options = run_options(run);
	struct births_config config = { .erl_pid = options->erl_pid, .by = by_of(options->by) };

	run_with_terms(run);
	return run_set(run, "births_config", &config, sizeof(config));
}

static void begin(struct run *run)
{
	struct births *births = run_state(run);

	births->from_ns = run_reached_ns(run);
}

static struct value number(uint64_t n)
{
	return (struct value){ .number = n };
}

/* The key of a row as text, valid as long as the row. */
static const char *key_of(struct run *run, const struct counter_key *key, const char *node)
{
	enum option_set by = run_options(run)->by;
	const char *text;

	if (!by)
		return "all";
	if (!key->os_id)
		return "other";
	if (by == TAKES_BY_NODE)
		return *node ? node : "(no name)";
	text = run_id(run, (int)key->os_id, key->id);
	return *text ? text : "(unknown)";
}

static void fill(struct run *run, const struct counter_row *row, double seconds, struct value *cells)
{
	int os_id = (int)row->key.os_id;
	const char *node = os_id ? run_node(run, os_id) : "";

	cells[KEY] = value_of_text(key_of(run, &row->key, node));
	cells[NAME] = value_of_text(run_id(run, os_id, row->counter.name));
	cells[SPAWNED] = number(row->counter.count);
	cells[SPAWNED_S] = number((uint64_t)((double)row->counter.count / seconds + 0.5));
	cells[EXITED] = number(row->counter.sum);
	cells[EXITED_S] = number((uint64_t)((double)row->counter.sum / seconds + 0.5));
	cells[NODE] = (struct value){ .os_id = os_id, .text = node };
}

/* A text that was found once is kept. */
static bool find_text(void *data, const void *key, const void *counter)
{
	const struct counter_key *k = key;
	const struct counter *t = counter;

	run_id(data, (int)k->os_id, k->id);
	run_id(data, (int)k->os_id, t->name);
	return false;
}

/* When a node has ended, nothing tells any more what its atoms are. */
static void tick(struct run *run)
{
	run_each(run, "counter_0", find_text, run);
	run_each(run, "counter_1", find_text, run);
}

static int snapshot(struct run *run)
{
	struct births *births = run_state(run);
	uint64_t reached_ns = run_reached_ns(run);
	double seconds = (double)(reached_ns - births->from_ns + 1) / NS_PER_S;
	const struct counter_row *rows, none = {};
	struct sink_table table = {};
	bool is_empty;
	int err = run_counter(run, &rows, &table.rows);
	_cleanup_free_ struct value *cells = err ? NULL : calloc(table.rows + 1, COLUMNS * sizeof(*cells));

	if (err || !cells)
		return err ? err : -ENOMEM;
	for (size_t i = 0; i < table.rows; i++)
		fill(run, &rows[i], seconds, &cells[i * COLUMNS]);
	/* None is a number, too. */
	is_empty = !run_options(run)->by && !table.rows;
	if (is_empty)
		fill(run, &none, seconds, cells);
	table.rows += is_empty;
	table.cells = cells;
	run_table(run, &table);
	births->from_ns = reached_ns;
	return 0;
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[BIRTHS_ACCOUNTS] = {
		[BIRTHS_SPAWNED] = { .name = "spawned",
				     .text = "processes were spawned",
				     .one = "process was spawned" },
		[BIRTHS_EXITED] = { .name = "exited", .text = "processes exited", .one = "process exited" },
	};

	return run_accounts(run, accounts, BIRTHS_ACCOUNTS, notes);
}

const struct tool tool_births = {
	.name = "births",
	.summary = "how many processes start and exit, and which",
	.nothing = "no process was spawned or exited",
	.description =
		"Counts the processes that are spawned and that exit, in total and per second, in each interval.\n"
		"--by mfa groups them by the function that they run, also if they are spawned with proc_lib, gen\n"
		"or spawn(Fun); in a spawn storm, the first row is the cause. --by pid and --by name group them by\n"
		"their parent.",
	.examples = "# How many processes start and exit, every second?\n"
		    "erlbpf births 1\n"
		    "# Which functions are spawned most?\n"
		    "erlbpf births --by mfa -d 10\n"
		    "# By which processes?\n"
		    "erlbpf births --by name -d 10",
	.takes = TAKES_BY_PROCESS | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(ERL_ARG_MODULE) | TOOL_ARG(ERL_ARG_FUNCTION) |
		TOOL_ARG(ERL_ARG_PARENT) | TOOL_ARG(ERL_ARG_TERM),
	.elf = births_bpf__elf_bytes,
	.columns = { columns, COLUMNS },
	.state_size = sizeof(struct births),
	.tick = { tick, TICK_NS },
	.configure = configure,
	.begin = begin,
	.snapshot = snapshot,
	.notes = notes,
};
