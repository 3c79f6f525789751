// SPDX-License-Identifier: BSD-2-Clause
/*
 * A series of the metrics only grows, so what an interval has counted is what it grew by; of a node, all names
 * together. A name that makes room for another leaves with what it had: where a slot has less than before, nothing was
 * counted.
 */
#include "serve/history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "out/json_line.h"

#define SLACK_NS (NS_PER_S / 2) /* a reading may come a little early */

enum { P50, P90, P99, QUANTILES };

static const struct {
	const char *name;
	double rank;
} quantiles[QUANTILES] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 } };

struct point {
	float count;
	float values[QUANTILES]; /* in the base unit */
};

/* A histogram of a node. */
struct line {
	char metric[METRICS_NAME];
	char node[METRICS_VALUE];
	enum metric_unit unit;
	uint64_t slots[HIST_SLOTS]; /* up to the last point */
	struct point points[HISTORY_POINTS];
	uint64_t heard; /* the last point at which something was counted */
};

_Static_assert(sizeof(struct line) <= HISTORY_BYTES, "docs/man/erlbpf-export.8.scd says how much memory it takes");

struct history {
	struct line *lines[HISTORY_MOST];
	size_t line_count;
	double times[HISTORY_POINTS]; /* seconds since 1970 */
	uint64_t next;		      /* points so far; the newest is at (next - 1) % HISTORY_POINTS */
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

/* One that has nothing to show any more. */
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

/* NULL: there is no room for another. */
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

/* What the node has counted in all becomes what it has counted since the last point. */
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

/* The series from there on that are of the same node: names of one are not always side by side. */
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

void history_add(struct history *history, const struct metrics *metrics, uint64_t now_ns)
{
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

static struct json_object *line_json(const struct history *history, const struct line *line)
{
	static const char *const units[] = { [UNIT_NONE] = "", [UNIT_SECONDS] = "seconds", [UNIT_BYTES] = "bytes" };
	struct json_object *object = json_new();

	json_add_text(object, "metric", line->metric);
	json_add_text(object, "unit", units[line->unit]);
	json_add_text(object, "node", line->node);
	json_add(object, "count", counts_json(history, line));
	for (size_t i = 0; i < QUANTILES; i++)
		json_add(object, quantiles[i].name, quantile_json(history, line, i));
	return object;
}

struct json_object *history_json(const struct history *history)
{
	struct json_object *object = json_new(), *series = json_new_list();

	json_add_number(object, "every_s", HISTORY_EVERY_NS / NS_PER_S);
	json_add(object, "times", times_json(history));
	for (size_t i = 0; i < history->line_count; i++)
		json_push(series, line_json(history, history->lines[i]));
	json_add(object, "series", series);
	return object;
}
