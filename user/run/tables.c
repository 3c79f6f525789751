// SPDX-License-Identifier: BSD-2-Clause
#include "run/tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "run/run.h"

#define COLUMNS_TEXT 512

void tables_refuse_column(const struct run *run, const char *name, const struct column *columns, size_t count)
{
	char list[COLUMNS_TEXT] = "";
	size_t used = 0;

	for (size_t i = 0; i < count && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", columns[i].name);
	pr_err("%s has no column \"%s\"; it has %s", run->tool->name, name, list);
}

/* Are histograms by key asked for, which programs are given as they are? */
static bool has_hists(const struct run *run)
{
	return run->options->by && (run->tool->hist || run->tool->hands_hists);
}

static int refuse_hist(const struct run *run)
{
	if (has_hists(run))
		pr_err("--hist is for text; JSON and CSV have the histograms of all keys");
	else if (run->options->by)
		pr_err("--hist shows histograms of keys, and %s --by counts keys only", run->tool->name);
	else
		pr_err("--hist shows the histograms of the rows of a table by key; add --by KEY, or leave out --hist");
	return -EINVAL;
}

static int refuse_table(const struct run *run)
{
	const char *option = run->options->sort ? "--sort" : "--rows";

	if (has_hists(run))
		pr_err("%s is for text; JSON and CSV have the histograms of all keys", option);
	else
		pr_err("%s is for tables, and %s prints none when it is asked like this; add --by KEY, or leave out %s",
		       option, run->tool->name, option);
	return -EINVAL;
}

int tables_set(struct run *run)
{
	const struct options *o = run->options;
	struct run_tables *t = &run->tables;

	if (run->tool->view || run->by_table.rows)
		return 0;
	if (o->with_hist)
		return refuse_hist(run);
	if (!t->columns && (o->sort || o->rows))
		return refuse_table(run);
	if (!o->sort)
		return 0;
	t->is_sorted = true;
	t->view.is_reversed = *o->sort == '-';
	if (!view_find_column(t->columns, t->count, o->sort + t->view.is_reversed, &t->view.sort))
		return 0;
	tables_refuse_column(run, o->sort + t->view.is_reversed, t->columns, t->count);
	return -EINVAL;
}

struct cells {
	const struct value *values;
	size_t width, rows;
};

static bool has_row(void *data, size_t row)
{
	(void)data;
	(void)row;
	return true;
}

static struct value cell(void *data, size_t row, size_t column, char buf[VIEW_TEXT_SIZE])
{
	const struct cells *cells = data;

	(void)buf;
	return cells->values[row * cells->width + column];
}

/* What sorts alike stays in its order. */
static uint64_t weight(void *data, size_t row)
{
	const struct cells *cells = data;

	return cells->rows - row;
}

/* The first rows as they are sorted, to be freed; NULL: memory is short. */
static struct value *sort(struct run *run, const struct sink_table *table, size_t most)
{
	struct cells cells = {
		.values = table->cells,
		.width = run->sink.setup.column_count,
		.rows = table->rows,
	};
	const struct view_source source = {
		.rows = table->rows,
		.data = &cells,
		.has_row = has_row,
		.cell = cell,
		.weight = weight,
	};
	_cleanup_free_ size_t *picked = calloc(most + 1, sizeof(*picked));
	struct value *sorted = calloc(most * cells.width + 1, sizeof(*sorted));
	struct view view = run->tables.view;
	long count;

	view.rows = most;
	count = picked && sorted ? view_pick(&view, run->sink.setup.columns, cells.width, &source, picked, NULL) : -1;
	if (count != (long)most) {
		free(sorted);
		return NULL;
	}
	for (size_t i = 0; i < most; i++)
		memcpy(sorted + i * cells.width, cells.values + picked[i] * cells.width, cells.width * sizeof(*sorted));
	return sorted;
}

void tables_show(struct run *run, const struct sink_table *table, size_t most)
{
	size_t rows = table->rows < most ? table->rows : most;
	_cleanup_free_ struct value *sorted = run->tables.is_sorted && rows ? sort(run, table, rows) : NULL;
	struct sink_note notes[TOOL_MAX_NOTES + 1];
	struct sink_table shown = *table;

	if (sorted)
		shown.cells = sorted;
	shown.rows = rows;
	if (rows < table->rows && table->note_count <= TOOL_MAX_NOTES) {
		if (table->note_count)
			memcpy(notes, table->notes, table->note_count * sizeof(*notes));
		notes[shown.note_count++] = tables_note(table->rows - rows);
		shown.notes = notes;
	}
	run->sink.ops->table(&run->sink, &shown);
}
