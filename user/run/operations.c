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

/* The key of --by first and the name of a process last; without a key, what is between them. */
static const struct column columns[] = {
	{ "key", COLUMN_TEXT, -20, false },    { "function", COLUMN_TEXT, -28, false },
	{ "calls", COLUMN_NUMBER, 10, false }, { "bytes", COLUMN_NUMBER, 12, false, "bytes" },
	{ "time", COLUMN_DURATION, 8, false }, { "longest", COLUMN_DURATION, 8, false },
	{ "name", COLUMN_TEXT, 0, false },
};

static const struct column both_ways_columns[] = {
	{ "key", COLUMN_TEXT, -20, false },
	{ "function", COLUMN_TEXT, -28, false },
	{ "calls", COLUMN_NUMBER, 10, false },
	{ "received", COLUMN_NUMBER, 12, false, "bytes" },
	{ "sent", COLUMN_NUMBER, 12, false, "bytes" },
	{ "time", COLUMN_DURATION, 8, false },
	{ "longest", COLUMN_DURATION, 8, false },
	{ "name", COLUMN_TEXT, 0, false },
};

/* Of sockets, by port: at the end, text has both addresses in one column. */
static const struct column address_columns[] = {
	{ "key", COLUMN_TEXT, -20, false },
	{ "function", COLUMN_TEXT, -28, false },
	{ "calls", COLUMN_NUMBER, 10, false },
	{ "received", COLUMN_NUMBER, 12, false, "bytes" },
	{ "sent", COLUMN_NUMBER, 12, false, "bytes" },
	{ "time", COLUMN_DURATION, 8, false },
	{ "longest", COLUMN_DURATION, 8, false },
	{ "addresses", COLUMN_TEXT, 0, true },
	{ "local", COLUMN_TEXT, COLUMN_NOT_IN_TEXT, false },
	{ "peer", COLUMN_TEXT, COLUMN_NOT_IN_TEXT, false },
	{ "name", COLUMN_TEXT, COLUMN_NOT_IN_TEXT, false },
};

const struct tool_other_columns operations_columns[] = {
	{ "the table", columns + 1, TOOL_COUNT(columns) - 2 },
	{},
};

const struct tool_other_columns operations_both_ways_columns[] = {
	{ "the table", both_ways_columns + 1, TOOL_COUNT(both_ways_columns) - 2 },
	{ "the table with --by port", address_columns, TOOL_COUNT(address_columns) },
	{},
};

static bool is_both_ways(const struct run *run)
{
	return run_its_tool(run)->other_columns == operations_both_ways_columns;
}

static enum operation_key key_of(enum option_set by)
{
	switch ((unsigned int)by) {
	case TAKES_BY_FUNCTION: return OPERATION_KEY_FUNCTION;
	case TAKES_BY_NAME: return OPERATION_KEY_NAME;
	case TAKES_BY_PORT: return OPERATION_KEY_THING;
	case TAKES_BY_KIND: return OPERATION_KEY_KIND;
	default: return OPERATION_KEY_COMMON;
	}
}

/* Are there a key and a name? The function is a key of its own, and is there anyway. */
static bool has_key(const struct run *run)
{
	enum option_set by = run_options(run)->by;

	return by && by != TAKES_BY_FUNCTION;
}

/* Sockets are told apart, and shown with their addresses. */
static bool has_addresses(const struct run *run)
{
	return is_both_ways(run) && run_options(run)->by == TAKES_BY_PORT;
}

int run_operations_key(struct run *run)
{
	__u32 by = key_of(run_options(run)->by), both_ways = is_both_ways(run);
	int err = run_set(run, "operation_by", &by, sizeof(by));

	return err ? err : run_set(run, "operation_both_ways", &both_ways, sizeof(both_ways));
}

int run_operations_configure(struct run *run)
{
	const struct column *all = is_both_ways(run) ? both_ways_columns : columns;
	size_t count = is_both_ways(run) ? TOOL_COUNT(both_ways_columns) : TOOL_COUNT(columns);

	if (!run_options(run)->min_ns && has_addresses(run))
		run_table_columns(run, address_columns, TOOL_COUNT(address_columns));
	else if (!run_options(run)->min_ns && has_key(run))
		run_table_columns(run, all, count);
	else if (!run_options(run)->min_ns)
		run_table_columns(run, all + 1, count - 2);
	return run_operations_key(run);
}

static int by_time(const void *a, const void *b)
{
	const struct counter_row *x = a, *y = b;

	/* What did not fit comes last. */
	if (!x->key.os_id != !y->key.os_id)
		return x->key.os_id ? -1 : 1;
	return x->counter.sum < y->counter.sum ? 1 : x->counter.sum > y->counter.sum ? -1 : 0;
}

static const char *key_text(struct run *run, const struct counter_row *row)
{
	if (run_options(run)->by == TAKES_BY_NODE)
		return run_node(run, (int)row->key.os_id);
	return row->key.id ? run_key(run, (int)row->key.os_id, row->key.id) : "(unknown)";
}

/* Returns how many cells it filled. */
static size_t fill_row(struct run *run, const struct counter_row *row, struct value *cells)
{
	int os_id = (int)row->key.os_id;
	size_t n = 0;

	if (has_key(run))
		cells[n++] = value_of_text(os_id ? key_text(run, row) : "other");
	cells[n++] = value_of_text(os_id ? run_id(run, os_id, row->key.other) : "other");
	cells[n++].number = row->counter.count;
	cells[n++].number = row->counter.extras[0];
	if (is_both_ways(run))
		cells[n++].number = row->counter.extras[1];
	cells[n++].number = row->counter.sum;
	cells[n++].number = row->counter.max;
	if (has_addresses(run)) {
		struct run_addresses a = run_socket_addresses(run, os_id, row->key.id);

		cells[n++] = value_of_text(a.both);
		cells[n++] = value_of_text(a.local);
		cells[n++] = value_of_text(a.peer);
	}
	if (has_key(run))
		cells[n++] = value_of_text(run_id(run, os_id, row->counter.name));
	return n;
}

int run_operations_snapshot(struct run *run)
{
	_cleanup_free_ struct counter_row *sorted = NULL;
	_cleanup_free_ struct value *cells = NULL;
	const struct counter_row *rows;
	struct sink_table table = {};
	size_t filled = 0;
	int err = run_counter(run, &rows, &table.rows);

	if (err || run_options(run)->min_ns)
		return err;
	sorted = calloc(table.rows + 1, sizeof(*sorted));
	cells = calloc(table.rows + 1, sizeof(*cells) * TOOL_COUNT(address_columns));
	if (!sorted || !cells)
		return -ENOMEM;
	memcpy(sorted, rows, table.rows * sizeof(*sorted));
	qsort(sorted, table.rows, sizeof(*sorted), by_time);
	for (size_t i = 0; i < table.rows; i++)
		filled += fill_row(run, &sorted[i], cells + filled);
	table.cells = cells;
	run_table(run, &table);
	return 0;
}
