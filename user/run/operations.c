// SPDX-License-Identifier: BSD-2-Clause
/*
 * The table of tools of operations (bpf/operation.bpf.h): what takes most time first. With --min the
 * operations themselves are shown instead, beside the histogram.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "operation.h"
#include "tool.h"

enum { KEY, FUNCTION, CALLS, BYTES, RECEIVED, SENT, TIME, LONGEST, NAME, COLUMNS };

static const struct column columns[COLUMNS] = {
	[KEY] = { "key", COLUMN_TEXT, -20, false },
	[FUNCTION] = { "function", COLUMN_TEXT, -28, false },
	[CALLS] = { "calls", COLUMN_NUMBER, 10, false },
	[BYTES] = { "bytes", COLUMN_NUMBER, 12, false },
	[RECEIVED] = { "received", COLUMN_NUMBER, 12, false },
	[SENT] = { "sent", COLUMN_NUMBER, 12, false },
	[TIME] = { "time", COLUMN_DURATION, 8, false },
	[LONGEST] = { "longest", COLUMN_DURATION, 8, false },
	[NAME] = { "name", COLUMN_TEXT, 0, false },
};

static enum operation_key key_of(enum option_set by)
{
	switch ((unsigned int)by) {
	case TAKES_BY_FUNCTION:
		return OPERATION_KEY_FUNCTION;
	case TAKES_BY_NAME:
		return OPERATION_KEY_NAME;
	case TAKES_BY_PORT:
		return OPERATION_KEY_THING;
	case TAKES_BY_KIND:
		return OPERATION_KEY_KIND;
	default:
		return OPERATION_KEY_COMMON;
	}
}

/* Does the table have the column, as it is asked for? Without a key of its own, no process is named either. */
static bool is_shown(const struct run *run, int column)
{
	enum option_set by = run_options(run)->by;

	switch (column) {
	case KEY:
	case NAME:
		return by && by != TAKES_BY_FUNCTION;
	case BYTES:
		return !run_its_tool(run)->is_both_ways;
	case RECEIVED:
	case SENT:
		return run_its_tool(run)->is_both_ways;
	default:
		return true;
	}
}

int run_operations_key(struct run *run)
{
	__u32 by = key_of(run_options(run)->by), both_ways = run_its_tool(run)->is_both_ways;
	int err = run_set(run, "operation_by", &by, sizeof(by));

	return err ? err : run_set(run, "operation_both_ways", &both_ways, sizeof(both_ways));
}

int run_operations_configure(struct run *run)
{
	/* It lives as long as the run: there is one in a process. */
	static struct column shown[COLUMNS];
	size_t count = 0;

	for (int i = 0; i < COLUMNS; i++) {
		if (is_shown(run, i))
			shown[count++] = columns[i];
	}
	if (!run_options(run)->min_ns)
		run_columns(run, shown, NULL, count);
	return run_operations_key(run);
}

static int by_time(const void *a, const void *b)
{
	const struct tally_row *x = a, *y = b;

	/* What did not fit comes last. */
	if (!x->key.os_pid != !y->key.os_pid)
		return x->key.os_pid ? -1 : 1;
	return x->tally.sum < y->tally.sum ? 1 : x->tally.sum > y->tally.sum ? -1 : 0;
}

static struct value text(const char *text)
{
	return (struct value){ .text = text, .is_null = !*text };
}

static const char *key_text(struct run *run, const struct tally_row *row)
{
	if (run_options(run)->by == TAKES_BY_NODE)
		return run_node(run, (int)row->key.os_pid);
	return row->key.id ? run_key(run, (int)row->key.os_pid, row->key.id) : "(unknown)";
}

static void fill_row(struct run *run, const struct tally_row *row, struct value cells[COLUMNS])
{
	int os_pid = (int)row->key.os_pid;

	cells[KEY] = text(os_pid ? key_text(run, row) : "other");
	cells[FUNCTION] = text(os_pid ? run_id(run, os_pid, row->key.other) : "other");
	cells[CALLS].number = row->tally.count;
	cells[BYTES].number = row->tally.extras[0];
	cells[RECEIVED].number = row->tally.extras[0];
	cells[SENT].number = row->tally.extras[1];
	cells[TIME].number = row->tally.sum;
	cells[LONGEST].number = row->tally.max;
	cells[NAME] = text(run_id(run, os_pid, row->tally.name));
}

int run_operations_snapshot(struct run *run)
{
	_cleanup_free_ struct tally_row *sorted = NULL;
	_cleanup_free_ struct value *cells = NULL;
	const struct tally_row *rows;
	struct sink_table table = {};
	size_t filled = 0;
	int err = run_tally(run, &rows, &table.rows);

	if (err || run_options(run)->min_ns)
		return err;
	sorted = calloc(table.rows + 1, sizeof(*sorted));
	cells = calloc((table.rows + 1) * COLUMNS, sizeof(*cells));
	if (!sorted || !cells)
		return -ENOMEM;
	memcpy(sorted, rows, table.rows * sizeof(*sorted));
	qsort(sorted, table.rows, sizeof(*sorted), by_time);
	for (size_t i = 0; i < table.rows; i++) {
		struct value row[COLUMNS];

		memset(row, 0, sizeof(row));
		fill_row(run, &sorted[i], row);
		for (int column = 0; column < COLUMNS; column++) {
			if (is_shown(run, column))
				cells[filled++] = row[column];
		}
	}
	table.cells = cells;
	run_table(run, &table);
	return 0;
}
