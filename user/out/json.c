// SPDX-License-Identifier: BSD-2-Clause
/* JSON lines: one object a line, "schema" in the first. Raise it when a key changes its meaning. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "out/sink.h"
#include "out/sink_hist.h"
#include "node/erlid.h"

#define SCHEMA 1

static void add(struct json_object *object, const char *key, struct json_object *value)
{
	json_object_object_add(object, key, value);
}

static void add_number(struct json_object *object, const char *key, uint64_t number)
{
	add(object, key, json_object_new_uint64(number));
}

static void add_text(struct json_object *object, const char *key, const char *text)
{
	_cleanup_free_ char *valid = text ? text_for_json(text) : NULL;

	add(object, key, valid ? json_object_new_string(valid) : NULL);
}

static struct json_object *begin(const struct sink *sink, const char *type)
{
	struct json_object *object = json_object_new_object();

	if (!sink->has_begun)
		add_number(object, "schema", SCHEMA);
	add_text(object, "type", type);
	add_text(object, "tool", sink->setup.tool);
	return object;
}

static void end(struct sink *sink, struct json_object *object)
{
	int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;

	text_print_json(sink->setup.to, json_object_to_json_string_ext(object, flags));
	fputc('\n', sink->setup.to);
	json_object_put(object);
	sink->has_begun = true;
}

/* Without the digits that a double has too many. */
static void add_percent(struct json_object *object, const char *name, uint64_t thousandths)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", (double)thousandths / 1000);
	add(object, name, json_object_new_double_s((double)thousandths / 1000, text));
}

static void add_value(struct json_object *object, const struct column *column, const struct value *value)
{
	char id[ERLID_SIZE];

	if (value->is_null)
		add(object, column->name, NULL);
	else if (column->type == COLUMN_TEXT)
		add_text(object, column->name, value->text);
	else if (column->type == COLUMN_PID)
		add_text(object, column->name, erlid_format(value->number, id));
	else if (column->type == COLUMN_PERCENT)
		add_percent(object, column->name, value->number);
	else if (column->type == COLUMN_SIGNED)
		add(object, column->name, json_object_new_int64(value->signed_number));
	else
		add_number(object, column->name, value->number);
}

static void add_values(const struct sink *sink, struct json_object *object, const struct value *values)
{
	for (size_t i = 0; i < sink->setup.column_count; i++) {
		if (!sink->setup.columns[i].only_text)
			add_value(object, &sink->setup.columns[i], &values[i]);
	}
}

static void json_interval(struct sink *sink, uint64_t time_ns)
{
	struct json_object *object = begin(sink, "interval");

	add_number(object, "time", time_ns);
	end(sink, object);
}

static void json_event(struct sink *sink, const struct sink_event *event)
{
	struct json_object *object = begin(sink, "event");

	add_text(object, "probe", event->probe);
	add_number(object, "time", event->time_ns);
	add(object, "os_pid", json_object_new_int(event->os_pid));
	add_text(object, "node", event->node);
	add_values(sink, object, event->values);
	end(sink, object);
}

static struct json_object *make_buckets(const struct sink_hist *hist)
{
	struct json_object *array = json_object_new_array();
	uint64_t counts[SINK_BUCKETS];

	sink_buckets(hist, counts);
	for (unsigned int i = 0; i < SINK_BUCKETS; i++) {
		struct json_object *bucket;

		if (!counts[i])
			continue;
		bucket = json_object_new_object();
		add_number(bucket, "lo", sink_bucket_lo(i));
		add_number(bucket, "hi", sink_bucket_hi(i));
		add_number(bucket, "count", counts[i]);
		json_object_array_add(array, bucket);
	}
	return array;
}

static void json_hist(struct sink *sink, const struct sink_hist *hist)
{
	struct json_object *object = begin(sink, "hist");

	add_text(object, "title", hist->title);
	add_text(object, "unit", hist->unit);
	add_text(object, "key", hist->key);
	add_text(object, "name", hist->name && *hist->name ? hist->name : NULL);
	add_text(object, "node", hist->node);
	add(object, "os_pid", hist->os_pid ? json_object_new_int(hist->os_pid) : NULL);
	add_number(object, "count", hist->count);
	add_number(object, "sum", hist->sum);
	add_number(object, "min", hist->min);
	add_number(object, "max", hist->max);
	add_number(object, "p50", sink_percentile(hist, 0.5));
	add_number(object, "p90", sink_percentile(hist, 0.9));
	add_number(object, "p99", sink_percentile(hist, 0.99));
	add_number(object, "p999", sink_percentile(hist, 0.999));
	add(object, "buckets", make_buckets(hist));
	end(sink, object);
}

static void json_table(struct sink *sink, const struct sink_table *table)
{
	struct json_object *object = begin(sink, "table"), *rows = json_object_new_array();

	for (size_t i = 0; i < table->note_count; i++)
		add_number(object, table->notes[i].name, table->notes[i].count);
	for (size_t i = 0; i < table->rows; i++) {
		struct json_object *row = json_object_new_object();

		add_values(sink, row, table->cells + i * sink->setup.column_count);
		json_object_array_add(rows, row);
	}
	add(object, "rows", rows);
	end(sink, object);
}

static struct json_object *make_probes(const struct sink_summary *summary)
{
	struct json_object *probes = json_object_new_object();

	for (size_t i = 0; i < summary->probe_count; i++) {
		struct json_object *probe = json_object_new_object();

		add_number(probe, "events", summary->probes[i].events);
		add_number(probe, "lost", summary->probes[i].lost);
		add(probes, summary->probes[i].name, probe);
	}
	return probes;
}

static struct json_object *make_missing(const struct sink_target *target)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < target->missing_count; i++) {
		struct json_object *missing = json_object_new_object();

		add_text(missing, "probe", target->missing[i].probe);
		add(missing, "whole", json_object_new_boolean(target->missing[i].whole));
		add_text(missing, "why", target->missing[i].why);
		json_object_array_add(array, missing);
	}
	return array;
}

static struct json_object *make_targets(const struct sink_summary *summary)
{
	struct json_object *targets = json_object_new_array();

	for (size_t i = 0; i < summary->target_count; i++) {
		const struct sink_target *target = &summary->targets[i];
		struct json_object *object = json_object_new_object();
		char otp[16];

		snprintf(otp, sizeof(otp), "%d", target->otp);
		add(object, "os_pid", json_object_new_int(target->os_pid));
		add_text(object, "node", target->node);
		add_text(object, "otp", target->otp ? otp : NULL);
		add_text(object, "source", target->source);
		add(object, "missing", make_missing(target));
		json_object_array_add(targets, object);
	}
	return targets;
}

static void json_summary(struct sink *sink, const struct sink_summary *summary)
{
	struct json_object *object = begin(sink, "summary");

	add_number(object, "events", summary->events);
	add_number(object, "lost", summary->lost);
	add(object, "probes", make_probes(summary));
	add(object, "targets", make_targets(summary));
	for (size_t i = 0; i < summary->note_count; i++)
		add_number(object, summary->notes[i].name, summary->notes[i].count);
	add(object, "duration_s", json_object_new_double(summary->duration_s));
	end(sink, object);
}

const struct sink_ops sink_json = {
	.interval = json_interval,
	.event = json_event,
	.hist = json_hist,
	.table = json_table,
	.summary = json_summary,
};
