// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/records/json_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "dtrace/aggregations/distribution.h"
#include "dtrace/aggregations/snapshot.h"
#include "erl.h"
#include "out/json_line.h"

#define TOOL "d"

static struct json_object *new_line(struct consumer *consumer, const char *type)
{
	return json_line_new(&consumer->has_schema, type, TOOL);
}

static void put_line(const struct consumer *consumer, struct json_object *line)
{
	json_line_put(consumer->output.to, line);
}

static struct json_object *number_of(const struct field_value *value)
{
	return value_is_signed(value) ? json_signed((int64_t)value->number) : json_number(value_unsigned(value));
}

/* "0x0123...": bytes that are not text. */
static struct json_object *hex_of(const char *data, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	_cleanup_free_ char *text = malloc(2 * size + 1);

	if (!text)
		return NULL;
	for (size_t i = 0; i < size; i++) {
		text[2 * i] = digits[(unsigned char)data[i] >> 4];
		text[2 * i + 1] = digits[data[i] & 15];
	}
	text[2 * size] = '\0';
	return json_text(text);
}

static struct json_object *stack_of(const struct print *print, const struct field_value *value)
{
	struct field field = { .kind = FIELD_SYMBOL };
	struct json_object *frames = json_new_list();

	for (size_t i = 0; i + sizeof(uint64_t) <= value->size; i += sizeof(uint64_t)) {
		struct field_value frame = { .field = &field, .os_id = value->os_id };
		_cleanup_free_ char *text = NULL;

		memcpy(&frame.number, value->data + i, sizeof(frame.number));
		if (!frame.number)
			break;
		field.symbol = print_frame_symbol(print, value, i / sizeof(uint64_t));
		text = value_text(print, &frame);
		json_push(frames, json_text(text));
	}
	return frames;
}

static struct json_object *value_of(const struct print *print, const struct field_value *value)
{
	_cleanup_free_ char *text = NULL;

	switch (value->field->kind) {
	case FIELD_INT: return number_of(value);
	case FIELD_STACK: return stack_of(print, value);
	case FIELD_BYTES:
		if (!value_is_chars(value))
			return hex_of(value->data, value->size);
		break;
	case FIELD_STRING:
	case FIELD_SYMBOL:
	case FIELD_TERM: break;
	}
	text = value_text(print, value);
	return json_text(text);
}

/* An encoder follows, so the text is raw. */
static struct print plain_print(const struct consumer *consumer, const struct d_record *head)
{
	struct print print = consumer_print(consumer, head);

	print.is_terminal = false;
	return print;
}

/* Aggregations. */

static struct json_object *limit_of(int64_t limit)
{
	return limit == INT64_MIN || limit == INT64_MAX ? NULL : json_signed(limit);
}

static struct json_object *buckets_of(const struct aggregate_entry *entry)
{
	struct json_object *buckets = json_new_list();
	struct distribution distribution;

	if (!distribution_read(&distribution, entry->of->kind, entry->of->agg, entry->words)) {
		for (unsigned int i = 0; i < distribution.count; i++) {
			const struct bucket *from = &distribution.buckets[i];

			if (from->count)
				json_add_bucket(buckets, limit_of(from->low), limit_of(from->high),
						json_signed(from->count));
		}
	}
	distribution_free(&distribution);
	return buckets;
}

struct entries {
	const struct print *print;
	struct json_object *list;
};

static void add_entry(void *to, const struct aggregate_entry *entry)
{
	struct entries *entries = to;
	struct json_object *object = json_new(), *keys = json_new_list();
	struct bytes bytes = { entry->key, entry->of->agg->key_size, true };
	struct field_value value;

	for (const struct field *key = entry->of->agg->keys; key; key = key->next) {
		value_read(&value, entries->print, &bytes, key);
		json_push(keys, value_of(entries->print, &value));
	}
	json_add(object, "key", keys);
	if (aggregate_is_distribution(entry->of))
		json_add(object, "buckets", buckets_of(entry));
	else
		json_add(object, "value", json_signed(aggregate_number(entry)));
	json_push(entries->list, object);
}

static int put_aggregation(struct consumer *consumer, struct aggregate *aggregate)
{
	struct print print = plain_print(consumer, NULL);
	struct entries entries = { &print, json_new_list() };
	struct json_object *object = new_line(consumer, "aggregation");
	_cleanup_free_ char *name = NULL;
	int err;

	if (asprintf(&name, "@%s", aggregate->agg->symbol->name) < 0)
		name = NULL;
	json_add_text(object, "name", name);
	json_add_text(object, "function", aggregate_function(aggregate));
	json_add_number(object, "normal", aggregate->normal);
	err = aggregate_walk(aggregate, &print, add_entry, &entries);
	json_add(object, "entries", entries.list);
	put_line(consumer, object);
	return err;
}

int json_printa(struct consumer *consumer, const struct action *action)
{
	int err = 0;

	for (size_t i = 0; i < action->agg_count && !err; i++) {
		struct aggregate *aggregate = aggregates_find(&consumer->aggregates, action->aggs[i]);

		if (!aggregate)
			continue;
		aggregate->is_printed = true;
		err = put_aggregation(consumer, aggregate);
	}
	return err;
}

int json_aggregations(struct consumer *consumer)
{
	int err = 0;

	for (size_t i = 0; i < consumer->aggregates.count && !err; i++)
		if (!consumer->aggregates.list[i].is_printed)
			err = put_aggregation(consumer, &consumer->aggregates.list[i]);
	return err;
}

/* Records. */

static const char *action_name(const struct action *action)
{
	static const char *const names[] = {
		[ACTION_TRACE] = "trace",   [ACTION_TRACEMEM] = "tracemem", [ACTION_PRINT] = "print",
		[ACTION_PRINTF] = "printf", [ACTION_SYSTEM] = "system",	    [ACTION_FREOPEN] = "freopen",
		[ACTION_EXIT] = "exit",	    [ACTION_STACK] = "stack",	    [ACTION_SYMBOL] = "symbol",
	};
	size_t count = sizeof(names) / sizeof(*names);

	if (action->name)
		return action->name;
	return action->kind < count && names[action->kind] ? names[action->kind] : "action";
}

static bool is_shown(const struct action *action)
{
	switch (action->kind) {
	case ACTION_TRACE:
	case ACTION_TRACEMEM:
	case ACTION_PRINT:
	case ACTION_PRINTF:
	case ACTION_SYSTEM:
	case ACTION_EXIT:
	case ACTION_STACK:
	case ACTION_SYMBOL: return true;
	default: return false;
	}
}

static void add_values(const struct consumer *consumer, const struct record *record, const struct action *action,
		       struct json_object *object)
{
	struct print print = plain_print(consumer, record->head);
	struct json_object *values = NULL;
	struct field_value value;

	for (const struct field *field = action->fields; field; field = field->next) {
		value_read(&value, &print, &record->bytes, field);
		if (!action->format && !action->fields->next) {
			json_add(object, "value", value_of(&print, &value));
			return;
		}
		if (!values)
			values = json_new_list();
		json_push(values, value_of(&print, &value));
	}
	if (values)
		json_add(object, "values", values);
}

static struct json_object *action_of(const struct consumer *consumer, const struct record *record,
				     const struct action *action)
{
	struct json_object *object = json_new();

	json_add_text(object, "action", action_name(action));
	if (action->format) {
		_cleanup_free_ char *text = consumer_format(consumer, record, action);

		json_add_text(object, "text", text);
	}
	add_values(consumer, record, action, object);
	return object;
}

static struct json_object *probe_of(const struct probe_names *probe)
{
	struct json_object *object = json_new();

	json_add_number(object, "id", probe->id);
	json_add_text(object, "provider", probe->provider);
	json_add_text(object, "module", probe->module);
	json_add_text(object, "function", probe->function);
	json_add_text(object, "name", probe->name);
	return object;
}

static void add_head(const struct consumer *consumer, struct json_object *object, const struct d_record *head,
		     const struct probe_names *probe)
{
	json_add(object, "probe", probe_of(probe));
	json_add_number(object, "clause", head->clause);
	json_add_number(object, "cpu", head->cpu);
	json_add_number(object, "time", head->time_ns + consumer->wall_offset);
	json_add(object, "os_pid", head->os_id ? json_number(erl_os_pid(head->os_id)) : NULL);
	json_add_number(object, "tid", head->tid);
}

static int put_event(struct consumer *consumer, const struct record *record)
{
	struct json_object *object = new_line(consumer, "event"), *actions = json_new_list();
	const struct d_record *head = record->head;

	consumer->events++;
	add_head(consumer, object, head, record->probe);
	for (const struct action *action = record->clause->actions; action; action = action->next)
		if (is_shown(action) && action_ran(record, action))
			json_push(actions, action_of(consumer, record, action));
	json_add(object, "actions", actions);
	put_line(consumer, object);
	return 0;
}

/* A record that only prints or changes aggregations is no event. */
static bool is_event(const struct record *record)
{
	for (const struct action *action = record->clause->actions; action; action = action->next)
		if (is_shown(action) || action->kind == ACTION_DEFAULT)
			return true;
	return false;
}

int json_event(struct consumer *consumer, const struct record *record)
{
	return is_event(record) ? put_event(consumer, record) : 0;
}

void json_error(struct consumer *consumer, const struct d_record *head, const struct probe_names *probe,
		const char *what)
{
	struct json_object *object = new_line(consumer, "error");

	consumer->errors++;
	add_head(consumer, object, head, probe);
	json_add_text(object, "what", what);
	put_line(consumer, object);
}

int json_summary(struct consumer *consumer, const struct d_drops *lost)
{
	struct json_object *object = new_line(consumer, "summary"), *drops = json_new();
	uint64_t principal = lost->records + lost->frames;

	json_add_number(object, "events", consumer->events);
	json_add_number(object, "errors", consumer->errors);
	json_add_number(object, "lost", principal);
	json_add_number(drops, "principal", principal);
	json_add_number(drops, "aggregation", lost->aggregations);
	json_add_number(drops, "dynamic", lost->dynamic);
	json_add_number(drops, "speculation", lost->speculations);
	json_add_number(drops, "error", lost->errors);
	json_add_number(drops, "speculation_busy", lost->speculations_busy);
	json_add_number(drops, "speculation_unavailable", lost->speculations_unavailable);
	json_add(object, "drops", drops);
	put_line(consumer, object);
	return 0;
}
