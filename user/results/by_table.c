// SPDX-License-Identifier: BSD-2-Clause
#include "results/by_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "erl.h"
#include "hist.h"
#include "out/sink_hist.h"
#include "out/view.h"

enum { KEY, COUNT, P50, P90, P99, MAX, TOTAL, NAME };

const struct column by_table_columns[BY_TABLE_COLUMNS] = {
	[KEY] = { "key", COLUMN_TEXT, -28, false },	  [COUNT] = { "count", COLUMN_NUMBER, 10, false },
	[P50] = { "p50", COLUMN_DURATION, 8, false },	  [P90] = { "p90", COLUMN_DURATION, 8, false },
	[P99] = { "p99", COLUMN_DURATION, 8, false },	  [MAX] = { "max", COLUMN_DURATION, 8, false },
	[TOTAL] = { "total", COLUMN_DURATION, 8, false }, [NAME] = { "name", COLUMN_TEXT, 0, false },
};

/* A copy of a histogram, with its texts. */
struct by_table_row {
	struct sink_hist hist;
	struct sink_note apart; /* of the histogram; without a name: none */
	char *key, *name, *node;
	char *label; /* name and node, of several nodes */
	uint64_t *slots;
	uint64_t numbers[BY_TABLE_COLUMNS];
};

int by_table_begin(struct by_table *table, const char *sort, size_t most)
{
	const char *column = sort ? sort + (*sort == '-') : "total";

	*table = (struct by_table){ .most = most, .is_reversed = sort && *sort == '-' };
	if (view_find_column(by_table_columns, BY_TABLE_COLUMNS, column, &table->sort))
		return -EINVAL;
	table->rows = calloc(most + 1, sizeof(*table->rows));
	return table->rows ? 0 : -ENOMEM;
}

static void free_row(struct by_table_row *row)
{
	free(row->key);
	free(row->name);
	free(row->node);
	free(row->label);
	free(row->slots);
	*row = (struct by_table_row){};
}

static void clear(struct by_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free_row(&table->rows[i]);
	table->count = 0;
	table->left_out = 0;
}

void by_table_free(struct by_table *table)
{
	clear(table);
	free(table->rows);
	*table = (struct by_table){};
}

/* What did not fit under a key of its own is last, whatever it is. */
static bool is_rest(const struct by_table_row *row)
{
	return !row->hist.os_id;
}

static int compare_texts(const struct by_table *table, const struct by_table_row *a, const struct by_table_row *b)
{
	const char *x = table->sort == NAME ? a->name : a->key, *y = table->sort == NAME ? b->name : b->key;

	return strcmp(x ? x : "", y ? y : "");
}

static int compare_rows(const struct by_table *table, const struct by_table_row *a, const struct by_table_row *b)
{
	uint64_t x = a->numbers[table->sort], y = b->numbers[table->sort];
	int order;

	if (is_rest(a) != is_rest(b))
		return is_rest(a) ? 1 : -1;
	if (table->sort == KEY || table->sort == NAME)
		order = compare_texts(table, a, b);
	else
		order = x > y ? -1 : x < y;
	/* Where all are alike, sizes of messages that nobody measured, what there is most of is the worst. */
	if (!order)
		order = a->numbers[COUNT] > b->numbers[COUNT] ? -1 : a->numbers[COUNT] < b->numbers[COUNT];
	return table->is_reversed ? -order : order;
}

static char *copy_text(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* False: memory is short. */
static bool copy_hist(struct by_table_row *row, const struct sink_hist *hist)
{
	*row = (struct by_table_row){
		.hist = *hist,
		.key = copy_text(hist->key ? hist->key : "other"),
		.name = copy_text(hist->name),
		.node = copy_text(hist->node),
		.slots = calloc(HIST_SLOTS, sizeof(*row->slots)),
		.numbers = {
			[COUNT] = hist->count + hist->unmeasured + (hist->apart ? hist->apart->count : 0),
			[P50] = sink_percentile(hist, 0.5),
			[P90] = sink_percentile(hist, 0.9),
			[P99] = sink_percentile(hist, 0.99),
			[MAX] = hist->max,
			[TOTAL] = hist->sum,
		},
	};
	if (!row->key || !row->slots)
		return false;
	memcpy(row->slots, hist->slots, HIST_SLOTS * sizeof(*row->slots));
	row->hist.key = row->key;
	row->hist.name = row->name;
	row->hist.node = row->node;
	row->hist.slots = row->slots;
	if (hist->apart) {
		row->apart = *hist->apart;
		row->hist.apart = NULL;
	}
	return true;
}

void by_table_add(struct by_table *table, const struct sink_hist *hist)
{
	struct by_table_row row;
	size_t place = table->count;

	if (!copy_hist(&row, hist)) {
		free_row(&row);
		table->left_out++;
		return;
	}
	while (place > 0 && compare_rows(table, &row, &table->rows[place - 1]) < 0)
		place--;
	memmove(&table->rows[place + 1], &table->rows[place], (table->count - place) * sizeof(row));
	table->rows[place] = row;
	if (++table->count <= table->most)
		return;
	free_row(&table->rows[--table->count]);
	table->left_out++;
}

static bool is_of_several(const struct by_table *table)
{
	for (size_t i = 1; i < table->count; i++) {
		if (table->rows[i].hist.os_id && table->rows[i].hist.os_id != table->rows[0].hist.os_id)
			return true;
	}
	return false;
}

/* Nodes may have the same name: the process tells them apart. */
static void label_row(struct by_table_row *row)
{
	const char *name = row->name ? row->name : "", *node = row->node ? row->node : "";

	if (!row->hist.os_id || !strcmp(node, row->key))
		return;
	if (asprintf(&row->label, "%s%s%s%s(process %u)", name, *name ? " on " : "", node, *name || *node ? " " : "",
		     erl_os_pid((uint32_t)row->hist.os_id)) < 0)
		row->label = NULL;
}

static void fill_cells(const struct by_table_row *row, struct value cells[BY_TABLE_COLUMNS])
{
	for (size_t i = 0; i < BY_TABLE_COLUMNS; i++)
		cells[i] = (struct value){ .number = row->numbers[i], .is_null = i >= P50 && !row->hist.count };
	for (size_t i = P50; i <= MAX; i++) {
		cells[i].is_below = row->numbers[i] < row->hist.resolution_ns;
		if (cells[i].is_below)
			cells[i].number = row->hist.resolution_ns;
	}
	cells[NAME].is_null = false;
	cells[KEY].text = row->key;
	cells[NAME].text = row->label ? row->label : row->name ? row->name : "";
}

/* Numbers that are no times are shown as such. */
static void make_columns(const char *unit, struct column columns[BY_TABLE_COLUMNS])
{
	memcpy(columns, by_table_columns, sizeof(by_table_columns));
	for (size_t i = P50; strcmp(unit, "ns") && i <= TOTAL; i++) {
		columns[i].type = COLUMN_NUMBER;
		columns[i].unit = unit;
	}
}

/* The sink shows tables with the columns of its setup, which are those of events. */
static void show_rows(const struct by_table *table, struct sink *sink, struct value *cells)
{
	const struct sink_setup setup = sink->setup;
	struct column columns[BY_TABLE_COLUMNS];
	struct sink_table shown = { .cells = cells, .rows = table->count };

	make_columns(table->rows[0].hist.unit, columns);
	fprintf(setup.to, "\n  %s%s%s\n", table->rows[0].hist.title, strcmp(table->rows[0].hist.unit, "ns") ? ", " : "",
		strcmp(table->rows[0].hist.unit, "ns") ? table->rows[0].hist.unit : "");
	sink->setup.columns = columns;
	sink->setup.column_count = BY_TABLE_COLUMNS;
	sink->ops->table(sink, &shown);
	sink->setup = setup;
	if (table->left_out)
		fprintf(setup.to, "and %llu more; --rows=N shows more\n", (unsigned long long)table->left_out);
}

/* Rows move, so that what is apart is tied to its histogram only now. */
static void show_row_hist(struct sink *sink, struct by_table_row *row)
{
	row->hist.apart = row->apart.name ? &row->apart : NULL;
	if (row->hist.count + row->apart.count)
		sink->ops->hist(sink, &row->hist);
}

void by_table_show(struct by_table *table, struct sink *sink, bool with_hist)
{
	struct value *cells = calloc(table->count * BY_TABLE_COLUMNS + 1, sizeof(*cells));
	const struct sink_window window = sink->window;

	if (cells && table->count) {
		bool is_several = is_of_several(table);

		if (table->rows[0].hist.is_waiting)
			sink->window = (struct sink_window){};
		for (size_t i = 0; is_several && i < table->count; i++)
			label_row(&table->rows[i]);
		for (size_t i = 0; i < table->count; i++)
			fill_cells(&table->rows[i], cells + i * BY_TABLE_COLUMNS);
		show_rows(table, sink, cells);
		for (size_t i = 0; with_hist && i < table->count; i++) {
			show_row_hist(sink, &table->rows[i]);
		}
		sink->window = window;
	}
	free(cells);
	clear(table);
}
