// SPDX-License-Identifier: BSD-2-Clause
/*
 * Series only grow, so an interval counts their growth; of a node, all names together. If a name made room for another
 * one, its counts went with it: a slot with less than before counts nothing.
 */
#include "serve/node_view/history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "out/json_line.h"

#define SLACK_NS (NS_PER_S / 2) /* tolerance for early readings */

enum { P50, P90, P99, QUANTILES };

static const struct {
	const char *name;
	double rank;
} quantiles[QUANTILES] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 } };

struct point {
	float count;
	float values[QUANTILES]; /* in the base unit */
};

static const struct {
	const char *metric;
	enum metric_unit unit;
	bool is_largest; /* of nodes with the same name, the largest; false: their sum */
} numbers[] = {
	{ "erlbpf_node_schedulers_busy_ratio", UNIT_NONE, true },
	{ "erlbpf_node_run_queue_length", UNIT_NONE, false },
	{ "erlbpf_node_reductions", UNIT_NONE, false },
	{ "erlbpf_node_processes", UNIT_NONE, false },
	{ "erlbpf_node_resident_memory_bytes", UNIT_BYTES, false },
	{ "erlbpf_mailbox_most_waiting_messages", UNIT_NONE, true },
};

#define NUMBERS (sizeof(numbers) / sizeof(*numbers))

/* Numbers of a node; NAN: missing. */
struct node_line {
	char node[METRICS_VALUE];
	float values[NUMBERS][HISTORY_POINTS];
	double now[NUMBERS], before[NUMBERS]; /* values at this point, and at the one before */
	uint64_t heard;
};

_Static_assert(sizeof(struct node_line) <= HISTORY_NODE_BYTES, "docs/man/erlbpf-export.8.scd says how much it takes");

/* A histogram of a node. */
struct line {
	char metric[METRICS_NAME];
	char node[METRICS_VALUE];
	enum metric_unit unit;
	uint64_t slots[HIST_SLOTS]; /* up to the last point */
	struct point points[HISTORY_POINTS];
	uint64_t heard; /* last point with a count */
};

_Static_assert(sizeof(struct line) <= HISTORY_BYTES, "docs/man/erlbpf-export.8.scd says how much memory it takes");

struct history {
	struct line *lines[HISTORY_MOST];
	size_t line_count;
	struct node_line *nodes[HISTORY_NODES];
	size_t node_count;
	double times[HISTORY_POINTS]; /* seconds since 1970 */
	uint64_t next;		      /* number of points; the newest is at (next - 1) % HISTORY_POINTS */
	uint64_t last_ns;
};

struct history *history_new(void)
{
	return calloc(1, sizeof(struct history));
}

void history_free(struct history *history)
{
	if (!history)
		return;
	for (size_t i = 0; i < history->line_count; i++)
		free(history->lines[i]);
	for (size_t i = 0; i < history->node_count; i++)
		free(history->nodes[i]);
	free(history);
}

static const char *node_of(const struct metric_series *series)
{
	for (size_t i = 0; i < series->label_count; i++) {
		if (!strcmp(series->labels[i].name, "node"))
			return series->labels[i].value;
	}
	return "";
}

static bool is_line_of(const struct line *line, const struct metric_family *family, const char *node)
{
	return !strcmp(line->metric, family->name) && !strcmp(line->node, node);
}

/* An entry without data in the hour, to be reused. */
static struct line *free_line(const struct history *history)
{
	for (size_t i = 0; i < history->line_count; i++) {
		if (history->lines[i]->heard + HISTORY_POINTS < history->next)
			return history->lines[i];
	}
	return NULL;
}

static struct line *new_line(struct history *history)
{
	struct line *line;

	if (history->line_count == HISTORY_MOST)
		return free_line(history);
	line = malloc(sizeof(*line));
	if (line)
		history->lines[history->line_count++] = line;
	return line;
}

/* NULL: no room. */
static struct line *find_line(struct history *history, const struct metric_family *family, const char *node)
{
	struct line *line;

	for (size_t i = 0; i < history->line_count; i++) {
		if (is_line_of(history->lines[i], family, node))
			return history->lines[i];
	}
	line = new_line(history);
	if (!line)
		return NULL;
	*line = (struct line){ .unit = family->unit, .heard = history->next };
	snprintf(line->metric, sizeof(line->metric), "%s", family->name);
	snprintf(line->node, sizeof(line->node), "%s", node);
	return line;
}

static void add_slots(const struct metric_series *series, uint64_t slots[HIST_SLOTS])
{
	for (uint32_t i = 0; i < series->slot_count && series->first + i < HIST_SLOTS; i++)
		slots[series->first + i] += series->slots[i];
}

static double value_at(uint32_t slot, double scale)
{
	return ((double)hist_slot_lo(slot) + (double)hist_slot_hi(slot)) / 2 * scale;
}

static void fill_point(struct point *point, const uint64_t grown[HIST_SLOTS], uint64_t count, double scale)
{
	uint64_t seen = 0;
	size_t next = 0;

	point->count = (float)count;
	for (uint32_t slot = 0; slot < HIST_SLOTS && next < QUANTILES; slot++) {
		seen += grown[slot];
		while (next < QUANTILES && grown[slot] && seen >= (uint64_t)ceil((double)count * quantiles[next].rank))
			point->values[next++] = (float)value_at(slot, scale);
	}
}

/* Converts totals to the growth since the last point. */
static void set_point(struct history *history, struct line *line, uint64_t slots[HIST_SLOTS], double scale)
{
	struct point *point = &line->points[history->next % HISTORY_POINTS];
	uint64_t count = 0;

	*point = (struct point){};
	for (uint32_t slot = 0; slot < HIST_SLOTS; slot++) {
		uint64_t now = slots[slot], before = line->slots[slot];

		slots[slot] = now > before ? now - before : 0;
		count += slots[slot];
		line->slots[slot] = now;
	}
	if (!count)
		return;
	line->heard = history->next;
	fill_point(point, slots, count, scale);
}

/* Sums the following series of the same node, which may not be adjacent. */
static void add_node(struct history *history, const struct metric_family *family, size_t from, bool *is_done)
{
	const char *node = node_of(family->series[from]);
	struct line *line = find_line(history, family, node);
	uint64_t slots[HIST_SLOTS] = {};

	for (size_t i = from; i < family->series_count; i++) {
		if (is_done[i] || strcmp(node_of(family->series[i]), node))
			continue;
		is_done[i] = true;
		add_slots(family->series[i], slots);
	}
	if (line)
		set_point(history, line, slots, family->scale);
}

static void add_family(struct history *history, const struct metric_family *family)
{
	_cleanup_free_ bool *is_done = calloc(family->series_count + 1, sizeof(*is_done));

	for (size_t i = 0; is_done && i < family->series_count; i++) {
		if (!is_done[i])
			add_node(history, family, i, is_done);
	}
}

/* --- Numbers ---------------------------------------------------------------------------------------------------- */

static struct node_line *new_node(struct history *history)
{
	for (size_t i = 0; history->node_count == HISTORY_NODES && i < history->node_count; i++) {
		if (history->nodes[i]->heard + HISTORY_POINTS < history->next)
			return history->nodes[i];
	}
	if (history->node_count == HISTORY_NODES)
		return NULL;
	history->nodes[history->node_count] = malloc(sizeof(struct node_line));
	return history->nodes[history->node_count] ? history->nodes[history->node_count++] : NULL;
}

/* NULL: no room. */
static struct node_line *find_node(struct history *history, const char *name)
{
	struct node_line *node;

	for (size_t i = 0; i < history->node_count; i++) {
		if (!strcmp(history->nodes[i]->node, name))
			return history->nodes[i];
	}
	node = new_node(history);
	if (!node)
		return NULL;
	snprintf(node->node, sizeof(node->node), "%s", name);
	for (size_t i = 0; i < NUMBERS; i++) {
		node->now[i] = node->before[i] = NAN;
		for (size_t k = 0; k < HISTORY_POINTS; k++)
			node->values[i][k] = NAN;
	}
	return node;
}

static void add_number(struct history *history, size_t number, const struct metric_series *series)
{
	struct node_line *node = find_node(history, node_of(series));
	double *now = node ? &node->now[number] : NULL;

	if (!node)
		return;
	node->heard = history->next;
	if (isnan(*now))
		*now = series->value;
	else
		*now = numbers[number].is_largest ? fmax(*now, series->value) : *now + series->value;
}

/* A new or restarted counter has no known growth. */
static double growth(double now, double before, double seconds)
{
	return now >= before && seconds > 0 ? (now - before) / seconds : NAN;
}

static void add_numbers(struct history *history, const struct metrics *metrics, double seconds)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		const struct metric_family *family = metrics_find(metrics, numbers[i].metric);
		bool is_counter = family && family->kind == METRIC_COUNTER;

		for (size_t k = 0; k < history->node_count; k++) {
			history->nodes[k]->before[i] = history->nodes[k]->now[i];
			history->nodes[k]->now[i] = NAN;
		}
		for (size_t k = 0; family && k < family->series_count; k++)
			add_number(history, i, family->series[k]);
		for (size_t k = 0; k < history->node_count; k++) {
			struct node_line *node = history->nodes[k];

			node->values[i][history->next % HISTORY_POINTS] =
				(float)(is_counter ? growth(node->now[i], node->before[i], seconds) : node->now[i]);
		}
	}
}

/* --- A point ---------------------------------------------------------------------------------------------------- */

void history_add(struct history *history, const struct metrics *metrics, uint64_t now_ns)
{
	double seconds = history->last_ns ? (double)(now_ns - history->last_ns) / NS_PER_S : 0;

	if (history->last_ns && now_ns - history->last_ns < HISTORY_EVERY_NS - SLACK_NS)
		return;
	history->last_ns = now_ns;
	history->times[history->next % HISTORY_POINTS] = (double)(now_ns + duration_wall_offset()) / NS_PER_S;
	for (size_t i = 0; i < history->line_count; i++)
		history->lines[i]->points[history->next % HISTORY_POINTS] = (struct point){};
	for (size_t i = 0; i < metrics_count(metrics); i++) {
		if (metrics_get(metrics, i)->kind == METRIC_HISTOGRAM)
			add_family(history, metrics_get(metrics, i));
	}
	add_numbers(history, metrics, seconds);
	history->next++;
}

/* --- As JSON ---------------------------------------------------------------------------------------------------- */

static uint64_t oldest(const struct history *history)
{
	return history->next > HISTORY_POINTS ? history->next - HISTORY_POINTS : 0;
}

static struct json_object *times_json(const struct history *history)
{
	struct json_object *list = json_new_list();

	for (uint64_t i = oldest(history); i < history->next; i++)
		json_push(list, json_real(history->times[i % HISTORY_POINTS]));
	return list;
}

static struct json_object *counts_json(const struct history *history, const struct line *line)
{
	struct json_object *list = json_new_list();

	for (uint64_t i = oldest(history); i < history->next; i++)
		json_push(list, json_number((uint64_t)line->points[i % HISTORY_POINTS].count));
	return list;
}

static struct json_object *quantile_json(const struct history *history, const struct line *line, size_t quantile)
{
	struct json_object *list = json_new_list();

	for (uint64_t i = oldest(history); i < history->next; i++) {
		const struct point *point = &line->points[i % HISTORY_POINTS];

		json_push(list, point->count > 0 ? json_real(point->values[quantile]) : NULL);
	}
	return list;
}

static const char *unit_text(enum metric_unit unit)
{
	static const char *const units[] = { [UNIT_NONE] = "", [UNIT_SECONDS] = "seconds", [UNIT_BYTES] = "bytes" };

	return units[unit];
}

static struct json_object *line_json(const struct history *history, const struct line *line)
{
	struct json_object *object = json_new();

	json_add_text(object, "metric", line->metric);
	json_add_text(object, "unit", unit_text(line->unit));
	json_add_text(object, "node", line->node);
	json_add(object, "count", counts_json(history, line));
	for (size_t i = 0; i < QUANTILES; i++)
		json_add(object, quantiles[i].name, quantile_json(history, line, i));
	return object;
}

static struct json_object *number_json(const struct history *history, const struct node_line *node, size_t number)
{
	struct json_object *object = json_new(), *list = json_new_list();

	for (uint64_t i = oldest(history); i < history->next; i++) {
		double value = node->values[number][i % HISTORY_POINTS];

		json_push(list, isnan(value) ? NULL : json_real(value));
	}
	json_add_text(object, "metric", numbers[number].metric);
	json_add_text(object, "unit", unit_text(numbers[number].unit));
	json_add_text(object, "node", node->node);
	json_add(object, "values", list);
	return object;
}

static struct json_object *numbers_json(const struct history *history)
{
	struct json_object *list = json_new_list();

	for (size_t i = 0; i < history->node_count; i++) {
		for (size_t k = 0; k < NUMBERS; k++)
			json_push(list, number_json(history, history->nodes[i], k));
	}
	return list;
}

struct json_object *history_json(const struct history *history)
{
	struct json_object *object = json_new(), *series = json_new_list();

	json_add_number(object, "every_s", HISTORY_EVERY_NS / NS_PER_S);
	json_add(object, "times", times_json(history));
	for (size_t i = 0; i < history->line_count; i++)
		json_push(series, line_json(history, history->lines[i]));
	json_add(object, "series", series);
	json_add(object, "numbers", numbers_json(history));
	return object;
}
