// SPDX-License-Identifier: BSD-2-Clause
/* What a tool found, as JSON lines. */
#include "out/json_line.h"

#include "erl.h"
#include "out/sink.h"
#include "out/sink_hist.h"
#include "node/memory/erlid.h"

static struct json_object *begin(struct sink *sink, const char *type)
{
	return json_line_new(&sink->has_begun, type, sink->setup.tool);
}

static void end(const struct sink *sink, struct json_object *object)
{
	json_line_put(sink->setup.to, object);
}

/* Without the digits that a double has too many. */
static void add_decimal(struct json_object *object, const char *name, uint64_t thousandths)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", (double)thousandths / 1000);
	json_add(object, name, json_real_as((double)thousandths / 1000, text));
}

static void add_value(struct json_object *object, const struct column *column, const struct value *value)
{
	char id[ERLID_SIZE];

	if (value->is_null || value->is_below)
		json_add(object, column->name, NULL);
	else if (column->type == COLUMN_TEXT)
		json_add_text(object, column->name, value->text);
	else if (column->type == COLUMN_PID)
		json_add_text(object, column->name, erlid_format(value->number, id));
	else if (column->type == COLUMN_DECIMAL)
		add_decimal(object, column->name, value->number);
	else if (column->type == COLUMN_SIGNED)
		json_add(object, column->name, json_signed(value->signed_number));
	else
		json_add_number(object, column->name, value->number);
}

static void add_columns(struct json_object *object, const struct column *columns, size_t count,
			const struct value *values)
{
	for (size_t i = 0; i < count; i++) {
		if (!columns[i].only_text)
			add_value(object, &columns[i], &values[i]);
	}
}

static void add_values(const struct sink *sink, struct json_object *object, const struct value *values)
{
	add_columns(object, sink->setup.columns, sink->setup.column_count, values);
}

static void json_interval(struct sink *sink, uint64_t time_ns)
{
	struct json_object *object = begin(sink, "interval");

	json_add_number(object, "time", time_ns);
	end(sink, object);
}

static void json_event(struct sink *sink, const struct sink_event *event)
{
	struct json_object *object = begin(sink, "event");

	json_add_text(object, "probe", event->probe);
	json_add_number(object, "time", event->time_ns);
	json_add(object, "os_pid", json_signed((int)erl_os_pid((uint32_t)event->os_id)));
	json_add_text(object, "node", event->node);
	add_values(sink, object, event->values);
	end(sink, object);
}

static struct json_object *make_buckets(const struct sink_hist *hist)
{
	struct json_object *array = json_new_list();
	uint64_t counts[SINK_BUCKETS];

	sink_buckets(hist, counts);
	for (unsigned int i = 0; i < SINK_BUCKETS; i++) {
		if (counts[i])
			json_add_bucket(array, json_number(sink_bucket_lo(hist, i)), json_number(sink_bucket_hi(i)),
					json_number(counts[i]));
	}
	return array;
}

/* Null if nothing was measured, or less than the resolution: a 0 would be taken for a time that was measured. */
static void add_measured(struct json_object *object, const struct sink_hist *hist, const char *key, uint64_t value)
{
	json_add(object, key, hist->count && value >= hist->resolution_ns ? json_number(value) : NULL);
}

static void add_rate(struct json_object *object, const char *key, const struct sink_window *window, double rate)
{
	json_add(object, key, window->has_rate ? json_real(rate) : NULL);
}

/* What the counts of a sample are of. */
static void add_window(const struct sink *sink, struct json_object *object)
{
	const struct sink_window *window = &sink->window;

	if (window->slowdown > 1)
		json_add(object, "slowdown", json_real(window->slowdown));
	if (!window->is_part)
		return;
	json_add_number(object, "seen", window->seen);
	json_add(object, "watched_s", json_real(window->watched_s));
	json_add(object, "of_s", json_real(window->of_s));
	json_add_number(object, "windows", window->windows);
	json_add_number(object, "windows_cut", window->cut);
	add_rate(object, "rate", window, window->rate);
	add_rate(object, "rate_low", window, window->rate_low);
	add_rate(object, "rate_high", window, window->rate_high);
}

/* A sample of less than that says nothing about the quantile. */
static void add_quantile(const struct sink *sink, struct json_object *object, const struct sink_hist *hist,
			 const char *key, double q)
{
	bool is_known = hist->count && (!sink->window.is_part || sink_has_percentile(hist, q));

	if (is_known)
		add_measured(object, hist, key, sink_percentile(hist, q));
	else
		json_add(object, key, NULL);
}

static void add_below(struct json_object *object, const struct sink_hist *hist)
{
	struct json_object *below = json_new();

	json_add_number(below, "ns", hist->resolution_ns);
	json_add_number(below, "count", sink_below(hist));
	json_add(object, "below", below);
}

static void json_hist(struct sink *sink, const struct sink_hist *hist)
{
	struct json_object *object = begin(sink, "hist");

	json_add_text(object, "title", hist->title);
	json_add_text(object, "unit", hist->unit);
	if (hist->is_waiting)
		json_add(object, "is_waiting", json_object_new_boolean(true));
	json_add_text(object, "key", hist->key);
	json_add_text(object, "name", hist->name && *hist->name ? hist->name : NULL);
	json_add_text(object, "node", hist->node);
	json_add(object, "os_pid", hist->os_id ? json_signed((int)erl_os_pid((uint32_t)hist->os_id)) : NULL);
	json_add_number(object, "count", hist->count);
	json_add_number(object, "sum", hist->sum);
	if (hist->apart)
		json_add_number(object, hist->apart->name, hist->apart->count);
	add_measured(object, hist, "min", hist->min);
	add_measured(object, hist, "max", hist->max);
	add_quantile(sink, object, hist, "p50", 0.5);
	add_quantile(sink, object, hist, "p90", 0.9);
	add_quantile(sink, object, hist, "p99", 0.99);
	add_quantile(sink, object, hist, "p999", 0.999);
	if (hist->resolution_ns)
		add_below(object, hist);
	json_add(object, "buckets", make_buckets(hist));
	add_window(sink, object);
	end(sink, object);
}

static struct json_object *make_part(const struct sink_part *part)
{
	struct json_object *list = part->is_list ? json_new_list() : NULL, *object = NULL;

	for (size_t i = 0; i < part->rows; i++) {
		object = json_new();
		add_columns(object, part->columns, part->column_count, part->cells + i * part->column_count);
		if (list)
			json_push(list, object);
	}
	return list ? list : object;
}

static void json_table(struct sink *sink, const struct sink_table *table)
{
	struct json_object *object = begin(sink, "table"), *rows = json_new_list();

	if (table->node)
		json_add_text(object, "node", *table->node ? table->node : NULL);
	for (size_t i = 0; i < table->note_count; i++)
		json_add_number(object, table->notes[i].name, table->notes[i].count);
	for (size_t i = 0; i < table->part_count; i++)
		json_add(object, table->parts[i].name, make_part(&table->parts[i]));
	for (size_t i = 0; i < table->rows; i++) {
		struct json_object *row = json_new();

		add_values(sink, row, table->cells + i * sink->setup.column_count);
		json_push(rows, row);
	}
	json_add(object, "rows", rows);
	add_window(sink, object);
	end(sink, object);
}

static struct json_object *make_probes(const struct sink_summary *summary)
{
	struct json_object *probes = json_new();

	for (size_t i = 0; i < summary->probe_count; i++) {
		struct json_object *probe = json_new();

		json_add_number(probe, "events", summary->probes[i].events);
		json_add_number(probe, "lost", summary->probes[i].lost);
		json_add(probes, summary->probes[i].name, probe);
	}
	return probes;
}

static struct json_object *make_missing(const struct sink_target *target)
{
	struct json_object *array = json_new_list();

	for (size_t i = 0; i < target->missing_count; i++) {
		struct json_object *missing = json_new();

		json_add_text(missing, "probe", target->missing[i].probe);
		json_add(missing, "whole", json_truth(target->missing[i].whole));
		json_add_text(missing, "why", target->missing[i].why);
		json_push(array, missing);
	}
	return array;
}

static struct json_object *make_targets(const struct sink_summary *summary)
{
	struct json_object *targets = json_new_list();

	for (size_t i = 0; i < summary->target_count; i++) {
		const struct sink_target *target = &summary->targets[i];
		struct json_object *object = json_new();
		char otp[16];

		snprintf(otp, sizeof(otp), "%d", target->otp);
		json_add(object, "os_pid", json_signed(target->os_pid));
		json_add_text(object, "node", target->node);
		json_add_text(object, "otp", target->otp ? otp : NULL);
		json_add_text(object, "source", target->source);
		json_add_text(object, "refused", target->refused);
		json_add(object, "missing", make_missing(target));
		json_push(targets, object);
	}
	return targets;
}

static void json_summary(struct sink *sink, const struct sink_summary *summary)
{
	struct json_object *object = begin(sink, "summary");

	json_add_number(object, "events", summary->events);
	json_add_number(object, "lost", summary->lost);
	json_add(object, "probes", make_probes(summary));
	json_add(object, "targets", make_targets(summary));
	for (size_t i = 0; i < summary->note_count; i++)
		json_add_number(object, summary->notes[i].name, summary->notes[i].count);
	json_add_number(object, "began", summary->began_ns);
	json_add(object, "duration_s", json_real(summary->duration_s));
	json_add(object, "watched_s", json_real(summary->watched_s));
	json_add_number(object, "cost_ns", summary->cost_ns);
	end(sink, object);
}

const struct sink_ops sink_json = {
	.interval = json_interval,
	.event = json_event,
	.hist = json_hist,
	.table = json_table,
	.summary = json_summary,
};
