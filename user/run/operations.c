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

enum { KEY, FUNCTION, CALLS, BYTES, TIME, LONGEST, NAME, COLUMNS };

static const struct column columns[COLUMNS] = {
	[KEY] = { "key", COLUMN_TEXT, -20, false },
	[FUNCTION] = { "function", COLUMN_TEXT, -28, false },
	[CALLS] = { "calls", COLUMN_NUMBER, 10, false },
	[BYTES] = { "bytes", COLUMN_NUMBER, 12, false },
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

/* Without a key of its own, a row begins with the function, and no process is its name. */
static bool has_key(const struct run *run)
{
	enum option_set by = run_options(run)->by;

	return by && by != TAKES_BY_FUNCTION;
}

int run_operations_key(struct run *run)
{
	__u32 by = key_of(run_options(run)->by);

	return run_set(run, "operation_by", &by, sizeof(by));
}

int run_operations_configure(struct run *run)
{
	if (!run_options(run)->min_ns && has_key(run))
		run_columns(run, columns, NULL, COLUMNS);
	else if (!run_options(run)->min_ns)
		run_columns(run, columns + FUNCTION, NULL, NAME - FUNCTION);
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
	cells[BYTES].number = row->tally.extra;
	cells[TIME].number = row->tally.sum;
	cells[LONGEST].number = row->tally.max;
	cells[NAME] = text(run_id(run, os_pid, row->tally.name));
}

int run_operations_snapshot(struct run *run)
{
	size_t first = has_key(run) ? KEY : FUNCTION, width = has_key(run) ? COLUMNS : NAME - FUNCTION;
	_cleanup_free_ struct tally_row *sorted = NULL;
	_cleanup_free_ struct value *cells = NULL;
	const struct tally_row *rows;
	struct sink_table table = {};
	int err = run_tally(run, &rows, &table.rows);

	if (err || run_options(run)->min_ns)
		return err;
	sorted = calloc(table.rows + 1, sizeof(*sorted));
	cells = calloc((table.rows + 1) * width, sizeof(*cells));
	if (!sorted || !cells)
		return -ENOMEM;
	memcpy(sorted, rows, table.rows * sizeof(*sorted));
	qsort(sorted, table.rows, sizeof(*sorted), by_time);
	for (size_t i = 0; i < table.rows; i++) {
		struct value row[COLUMNS];

		memset(row, 0, sizeof(row));
		fill_row(run, &sorted[i], row);
		memcpy(cells + i * width, row + first, width * sizeof(*cells));
	}
	table.cells = cells;
	run_table(run, &table);
	return 0;
}
