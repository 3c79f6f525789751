// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/records/consumer.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "dtrace/aggregations/aggregate.h"

#define MOST_CPUS 65536

/* The prefix. */

static void print_heading(struct consumer *consumer)
{
	const struct consumer_options *options = consumer->options;
	FILE *to = consumer->output.to;

	if (consumer->has_heading)
		return;
	consumer->has_heading = true;
	if (options->flow_indent)
		fprintf(to, "%s%-41s\n", options->testing ? "" : "CPU ", "FUNCTION");
	else if (!options->quiet)
		fprintf(to, "%s%32s\n", options->testing ? "" : "CPU     ID ", "FUNCTION:NAME");
}

static struct flow *flow_of(struct consumer *consumer, uint32_t cpu)
{
	size_t before = consumer->flow_count;

	if (cpu >= MOST_CPUS)
		cpu = 0;
	if (!array_has_room_for(consumer->flows, consumer->flow_count, cpu + 1))
		return NULL;
	memset(consumer->flows + before, 0, (consumer->flow_count - before) * sizeof(*consumer->flows));
	return &consumer->flows[cpu];
}

enum direction { FLOW_NONE, FLOW_ENTRY, FLOW_RETURN };

/* "entry", or a name that ends with "-entry"; not carpentry. */
static bool ends_as(const char *name, const char *word)
{
	size_t length = strlen(name), size = strlen(word);

	return length >= size && !strcmp(name + length - size, word) &&
	       (length == size || name[length - size - 1] == '-');
}

/* A second clause of the last probe does not change the depth again. */
static enum direction direction_of(const struct flow *flow, const struct record *record)
{
	if (flow->clause && flow->clause != record->head->clause && flow->probe == record->probe->id)
		return FLOW_NONE;
	if (ends_as(record->probe->name, "return"))
		return FLOW_RETURN;
	return ends_as(record->probe->name, "entry") ? FLOW_ENTRY : FLOW_NONE;
}

static const char *prefix_of(const struct record *record, enum direction direction)
{
	bool is_call = !strcmp(record->probe->provider, "syscall");

	switch (direction) {
	case FLOW_ENTRY: return is_call ? " => " : " -> ";
	case FLOW_RETURN: return is_call ? " <= " : " <- ";
	default: return "| ";
	}
}

static void print_flow(struct consumer *consumer, const struct record *record, const char *function, const char *name)
{
	struct flow *flow = flow_of(consumer, record->head->cpu);
	_cleanup_free_ char *text = NULL;
	enum direction direction;

	if (!flow)
		return;
	direction = direction_of(flow, record);
	if (direction == FLOW_RETURN && flow->indent >= 2)
		flow->indent -= 2;
	if (asprintf(&text, "%*s%s%s%s%s", (int)flow->indent, "", prefix_of(record, direction), function,
		     direction ? "" : ":", direction ? "" : name) < 0) {
		text = NULL;
		return;
	}
	if (!consumer->options->testing)
		fprintf(consumer->output.to, "%3u ", record->head->cpu);
	fprintf(consumer->output.to, "%-41s ", text);
	if (direction == FLOW_ENTRY)
		flow->indent += 2;
	flow->probe = record->probe->id;
	flow->clause = record->head->clause;
}

static void print_line(struct consumer *consumer, const struct record *record, const char *function, const char *name)
{
	_cleanup_free_ char *text = NULL;

	if (asprintf(&text, "%s:%s", function, name) < 0) {
		text = NULL;
		return;
	}
	if (!consumer->options->testing)
		fprintf(consumer->output.to, "%3u %6u ", record->head->cpu, record->probe->id);
	fprintf(consumer->output.to, "%32s ", text);
}

void text_front(struct consumer *consumer, const struct record *record)
{
	struct print print = consumer_print(consumer, record->head);
	_cleanup_free_ char *function = print_clean(&print, record->probe->function, strlen(record->probe->function));
	_cleanup_free_ char *name = print_clean(&print, record->probe->name, strlen(record->probe->name));

	if (!function || !name)
		return;
	print_heading(consumer);
	if (consumer->options->flow_indent)
		print_flow(consumer, record, function, name);
	else if (!consumer->options->quiet)
		print_line(consumer, record, function, name);
}

/* Actions. */

/* The third argument is the number of valid bytes, unless it is negative or too large. */
static void print_memory(const struct print *print, const struct field_value *values, size_t count)
{
	size_t size = values[0].size;

	if (count > 1 && !(value_is_signed(&values[1]) && (int64_t)values[1].number < 0) &&
	    value_unsigned(&values[1]) < size)
		size = (size_t)value_unsigned(&values[1]);
	print_dump(print, values[0].data, size);
}

#define MOST_VALUES 2 /* in an action without a format */

int text_action(struct consumer *consumer, const struct record *record, const struct action *action)
{
	struct print print = consumer_print(consumer, record->head);
	struct format_source source = { .bytes = record->bytes, .fields = action->fields };
	struct field_value values[MOST_VALUES];
	size_t count = 0;

	for (const struct field *field = action->fields; field && count < MOST_VALUES; field = field->next)
		value_read(&values[count++], &print, &record->bytes, field);
	switch (action->kind) {
	case ACTION_TRACE:
	case ACTION_STACK:
	case ACTION_SYMBOL:
		if (count)
			print_trace(&print, &values[0]);
		return 0;
	case ACTION_TRACEMEM:
		if (count)
			print_memory(&print, values, count);
		return 0;
	case ACTION_PRINT:
		if (count)
			print_typed(&print, values, count);
		return 0;
	case ACTION_PRINTF:
		if (action->format)
			print_format(&print, action->format, &source);
		return 0;
	case ACTION_PRINTA: return aggregates_printa(&consumer->aggregates, &print, action);
	default: return 0;
	}
}
