// SPDX-License-Identifier: BSD-2-Clause
/* What a tool may ask of its run, and hand to it: the functions of tool.h. */
#include "run/run.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "load/kernel/map.h"
#include "probe/catalogue.h"
#include "results/counters.h"

const struct options *run_options(const struct run *run)
{
	return run->options;
}

const struct tool *run_its_tool(const struct run *run)
{
	return run->tool;
}

void *run_state(const struct run *run)
{
	return run->state;
}

int run_set(struct run *run, const char *variable, const void *value, size_t size)
{
	return loader_set(run->loader, variable, value, size);
}

int run_map(const struct run *run, const char *name)
{
	return loader_map(run->loader, name);
}

uint64_t run_wall_ns(const struct run *run, uint64_t monotonic_ns)
{
	return monotonic_ns + run->wall_offset;
}

const char *run_node(const struct run *run, int os_id)
{
	return follow_node(run->follow, (uint32_t)os_id);
}

const char *run_process_name(const struct run *run, int os_id, uint64_t id, char *buf)
{
	return follow_process_name(run->follow, (uint32_t)os_id, id, buf);
}

const char *run_id(struct run *run, int os_id, uint64_t id)
{
	return ids_text(run->ids, os_id, id);
}

const char *run_name(struct run *run, int os_id, uint64_t id, uint64_t caught, char *buf)
{
	const char *now;

	if (erl_id_kind(caught) == ERL_ID_ATOM)
		return run_id(run, os_id, caught);
	now = run_process_name(run, os_id, id, buf);
	return *now ? now : run_id(run, os_id, caught);
}

const char *run_key(struct run *run, int os_id, uint64_t id)
{
	uint64_t kind = erl_id_value(id);

	if (run->options->by == TAKES_BY_KIND && kind < run->tool->kinds.count)
		return run->tool->kinds.names[kind];
	return run_id(run, os_id, id);
}

int run_counter(struct run *run, const struct counter_row **rows, size_t *count)
{
	int err;

	free(run->counter);
	if (run->breakpoints.counts_only)
		err = called_rows(&run->called, &run->counter, count);
	else
		err = counters_take(run->loader, run->ids, run->generation, &run->counter, count);
	*rows = run->counter;
	return err;
}

int run_counter_table(struct run *run, size_t columns,
		      void (*fill)(struct run *run, const struct counter_row *row, struct value *cells))
{
	_cleanup_free_ struct value *cells = NULL;
	const struct counter_row *rows;
	struct sink_table table = {};
	int err = run_counter(run, &rows, &table.rows);

	if (err)
		return err;
	cells = calloc(table.rows * columns + 1, sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	for (size_t i = 0; i < table.rows; i++)
		fill(run, &rows[i], cells + i * columns);
	table.cells = cells;
	run_table(run, &table);
	return 0;
}

/* The first rows by an order. */
struct counter_top {
	struct counter_row *rows; /* to be freed */
	size_t count, left_out;
	size_t most; /* of which so many are shown */
};

static int take_top(struct run *run, int (*compare)(const void *a, const void *b), struct counter_top *top)
{
	const struct options *o = run->options;
	const struct counter_row *rows;
	size_t count;
	int err = run_counter(run, &rows, &count);

	if (err)
		return err;
	top->rows = calloc(count + 1, sizeof(*top->rows));
	if (!top->rows)
		return -ENOMEM;
	if (count)
		memcpy(top->rows, rows, count * sizeof(*rows));
	qsort(top->rows, count, sizeof(*rows), compare);
	/* Programs are given all rows unless they ask for fewer. */
	top->most = o->rows ? o->rows : o->format == SINK_TEXT ? TEXT_ROWS : count;
	/* By another order, they are others. */
	top->count = count < top->most || run->tables.is_sorted ? count : top->most;
	top->left_out = count - top->count;
	return 0;
}

size_t run_rows_notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	(void)run;
	notes[0] = tables_note(0);
	return 1;
}

int run_counter_rows(struct run *run, size_t columns, int (*compare)(const void *a, const void *b),
		     void (*fill)(struct run *run, const struct counter_row *row, struct value *cells,
				  char name[RUN_NAME_SIZE]))
{
	struct counter_top top = {};
	int err = take_top(run, compare, &top);
	_cleanup_free_ struct counter_row *rows = top.rows;
	_cleanup_free_ struct value *cells = calloc(top.count + 1, columns * sizeof(*cells));
	_cleanup_free_ char *names = calloc(top.count + 1, RUN_NAME_SIZE);
	struct sink_note note = tables_note(top.left_out);
	struct sink_table table = {
		.cells = cells,
		.rows = top.count,
		.notes = &note,
		.note_count = !run->tables.is_sorted,
	};

	if (err || !cells || !names)
		return err ? err : -ENOMEM;
	for (size_t i = 0; i < top.count; i++)
		fill(run, &rows[i], cells + i * columns, names + i * RUN_NAME_SIZE);
	tables_show(run, &table, top.most);
	return 0;
}

void run_columns(struct run *run, const struct column *columns, const enum tool_field *fields, size_t count)
{
	run->sink.setup.columns = columns;
	run->sink.setup.column_count = count;
	run->fields = fields;
	run_draws(run, NULL, 0);
}

void run_table_columns(struct run *run, const struct column *columns, size_t count)
{
	run_columns(run, columns, NULL, count);
	run_draws(run, columns, count);
}

void run_draws(struct run *run, const struct column *columns, size_t count)
{
	run->tables.columns = columns;
	run->tables.count = count;
}

void run_choose_probes(struct run *run, const char *glob)
{
	run->chosen = glob;
}

void run_with_addresses(struct run *run)
{
	run->with_addresses = true;
}

void run_look_up_addresses(struct run *run)
{
	if (run->addresses)
		addresses_refresh(run->addresses, true);
}

struct run_addresses run_socket_addresses(const struct run *run, int os_id, uint64_t id)
{
	return addresses_of(run->addresses, (uint32_t)os_id, id);
}

void run_with_terms(struct run *run)
{
	run->with_terms = true;
}

void run_without_hist(struct run *run)
{
	run->without_hist = true;
}

void run_measures(struct run *run, const char *title, const char *unit)
{
	run->hist_title = title;
	run->hist_unit = unit;
}

const char *run_term(struct run *run, int os_id, const struct term_snapshot *snapshot, char *buf, size_t size)
{
	follow_term(run->follow, (uint32_t)os_id, snapshot, buf, size);
	return buf;
}

size_t run_targets(const struct run *run)
{
	return follow_count(run->follow);
}

struct run_target run_target(const struct run *run, size_t i)
{
	const struct attachment *a = follow_get(run->follow, i);

	return (struct run_target){
		.os_id = (int)a->target->os_id,
		.serial = follow_serial(run->follow, i),
		.target = a->target,
		.pids = &a->pids,
		.is_over = follow_is_over(run->follow, i),
	};
}

struct name_style run_name_style(const struct run *run)
{
	return follow_name_style(run->follow);
}

const struct view *run_view(const struct run *run)
{
	return &run->view;
}

uint64_t run_reached_ns(const struct run *run)
{
	return run->end_ns ? run->end_ns : duration_now();
}

uint64_t run_on_ns(const struct run *run, uint64_t reached_ns)
{
	return pace_on_ns(&run->pace, reached_ns);
}

uint64_t run_whole_since(const struct run *run)
{
	return run->pace.whole_since_ns;
}

int run_each(const struct run *run, const char *map, bool (*visit)(void *data, const void *key, const void *value),
	     void *data)
{
	return map_each(run_map(run, map), visit, data);
}

int run_get(const struct run *run, const char *map, const void *key, void *value)
{
	return bpf_map_lookup_elem(run_map(run, map), key, value) ? -errno : 0;
}

int run_put(const struct run *run, const char *map, const void *key, const void *value)
{
	return bpf_map_update_elem(run_map(run, map), key, value, BPF_ANY) ? -errno : 0;
}

void run_event(struct run *run, const struct sink_event *event)
{
	run->measured.has_shown = true;
	run->sink.ops->event(&run->sink, event);
}

void run_add_measured(struct run *run, const struct sink_hist *hist)
{
	struct run_measured *m = &run->measured;

	/* Of lengths and sizes, --min says nothing. */
	if (!hist->count || strcmp(hist->unit, "ns") != 0)
		return;
	m->is_some = true;
	m->longest_ns = hist->max > m->longest_ns ? hist->max : m->longest_ns;
}

void run_hist(struct run *run, const struct sink_hist *hist)
{
	run_add_measured(run, hist);
	if (run->by_table.rows && hist->key) {
		by_table_add(&run->by_table, hist);
		return;
	}
	run->sink.ops->hist(&run->sink, hist);
}

void run_table(struct run *run, const struct sink_table *table)
{
	tables_show(run, table, run->options->rows && !run->tool->view ? run->options->rows : table->rows);
}

int run_hits(struct run *run, uint32_t probe, uint64_t *events, uint64_t *lost)
{
	if (probe >= probe_count())
		return -ENOENT;
	*events = run->now[probe].events - run->seen[probe].events;
	*lost = run->now[probe].lost - run->seen[probe].lost;
	return 0;
}

uint64_t run_sum(const struct run *run, const char *map, uint32_t index)
{
	return run ? map_sum(run_map(run, map), index) : 0;
}

uint64_t run_called(const struct run *run, uint64_t looked)
{
	bool is_part = run && pace_off_ns(&run->pace, run->end_ns ? run->end_ns : duration_now());
	uint64_t calls = run && (is_part || run->breakpoints.counts_only) ? called_in_all(run->follow) : 0;

	return calls > looked ? calls : looked;
}

size_t run_accounts(const struct run *run, const struct sink_note *accounts, size_t count,
		    struct sink_note notes[TOOL_MAX_NOTES])
{
	for (uint32_t i = 0; i < count; i++) {
		notes[i] = accounts[i];
		notes[i].count = run_sum(run, "accounts", i);
	}
	return count;
}

void run_tick_every(struct run *run, uint64_t mean_ns)
{
	run->tick_ns = mean_ns;
}
