// SPDX-License-Identifier: BSD-2-Clause
/*
 * From records to what a program prints. A record is one clause of one firing: a line in front, unless quiet,
 * then what each action recorded, in order. What lies in it, and what the actions are, the unit says.
 */
#include "dtrace/print/consume.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "dtrace/print/consumer.h"
#include "dtrace/print/aggregate_print.h"
#include "dtrace/print/json_record.h"
#include "dtrace/print/snapshot.h"

#define SPECULATION_SIZE ((size_t)4 << 20)
#define MOST_CPUS 65536

/* --- Life --------------------------------------------------------------------------------------- */

static int index_clauses(struct consumer *consumer)
{
	for (const struct unit_clause *clause = consumer->unit->clauses; clause; clause = clause->next)
		if (clause->clause->id >= consumer->clause_count)
			consumer->clause_count = clause->clause->id + 1;
	consumer->clauses = calloc(consumer->clause_count + 1, sizeof(*consumer->clauses));
	if (!consumer->clauses)
		return -ENOMEM;
	for (struct unit_clause *clause = consumer->unit->clauses; clause; clause = clause->next)
		consumer->clauses[clause->clause->id] = clause;
	return 0;
}

struct consumer *consumer_new(const struct unit *unit, const struct consumer_options *options,
			      const struct consumer_ops *ops, void *data)
{
	struct consumer *consumer = calloc(1, sizeof(*consumer));
	int err;

	if (!consumer)
		return NULL;
	consumer->unit = unit;
	consumer->options = options;
	consumer->ops = ops;
	consumer->data = data;
	consumer->wall_offset = duration_wall_offset();
	consumer->speculations.most = options->speculation_size ? options->speculation_size : SPECULATION_SIZE;
	err = output_open(&consumer->output, options->output, options->to);
	if (!err)
		err = index_clauses(consumer);
	if (!err)
		err = aggregates_new(&consumer->aggregates, unit);
	if (err) {
		consumer_free(consumer);
		errno = -err;
		return NULL;
	}
	return consumer;
}

void consumer_free(struct consumer *consumer)
{
	if (!consumer)
		return;
	output_close(&consumer->output);
	aggregates_free(&consumer->aggregates);
	speculations_free(&consumer->speculations);
	free(consumer->clauses);
	free(consumer->flows);
	free(consumer);
}

struct print consumer_print(const struct consumer *consumer, const struct d_record *head)
{
	return (struct print){
		.to = consumer->output.to,
		.is_terminal = consumer->output.is_terminal,
		.os_pid = head ? head->os_pid : 0,
		.options = consumer->options,
		.ops = consumer->ops,
		.data = consumer->data,
	};
}

/* --- The line in front --------------------------------------------------------------------------- */

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
	struct flow *flows;

	if (cpu >= MOST_CPUS)
		cpu = 0;
	if (cpu >= consumer->flow_count) {
		flows = realloc(consumer->flows, (cpu + 1) * sizeof(*flows));
		if (!flows)
			return NULL;
		memset(flows + consumer->flow_count, 0, (cpu + 1 - consumer->flow_count) * sizeof(*flows));
		consumer->flows = flows;
		consumer->flow_count = cpu + 1;
	}
	return &consumer->flows[cpu];
}

enum direction { FLOW_NONE, FLOW_ENTRY, FLOW_RETURN };

/* "entry", or what ends with "-entry": carpentry is none. */
static bool ends_as(const char *name, const char *word)
{
	size_t length = strlen(name), size = strlen(word);

	return length >= size && !strcmp(name + length - size, word) &&
	       (length == size || name[length - size - 1] == '-');
}

/* A second clause of the probe that ran last does not go deeper. */
static enum direction direction_of(const struct flow *flow, const struct record *record)
{
	if (ends_as(record->probe->name, "return"))
		return FLOW_RETURN;
	if (!ends_as(record->probe->name, "entry") ||
	    (flow->clause && flow->clause != record->head->clause && flow->probe == record->probe->id))
		return FLOW_NONE;
	return FLOW_ENTRY;
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

static void print_front(struct consumer *consumer, const struct record *record)
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

/* --- Errors --------------------------------------------------------------------------------------- */

static const char *fault_text(uint64_t fault)
{
	static const char *const texts[] = {
		[D_FAULT_BADADDR] = "invalid address",
		[D_FAULT_BADALIGN] = "invalid alignment",
		[D_FAULT_ILLOP] = "illegal operation",
		[D_FAULT_DIVZERO] = "divide-by-zero",
		[D_FAULT_NOSCRATCH] = "out of scratch space",
		[D_FAULT_KPRIV] = "invalid kernel access",
		[D_FAULT_UPRIV] = "invalid user access",
		[D_FAULT_TUPOFLOW] = "tuple stack overflow",
		[D_FAULT_BADSTACK] = "bad stack",
		[D_FAULT_BADSIZE] = "invalid size",
		[D_FAULT_BADINDEX] = "index out of bounds",
		[D_FAULT_LIBRARY] = "library-level fault",
	};

	return fault < sizeof(texts) / sizeof(*texts) && texts[fault] ? texts[fault] : "unknown fault";
}

/* Errors are for people, so they are cleaned as if stderr were a terminal. */
static void print_error(struct consumer *consumer, const struct d_record *head, const char *what)
{
	const struct probe_names *probe = consumer->ops->probe(consumer->data, head->probe, head->function,
							       head->os_pid);
	struct print print = { .is_terminal = true };
	_cleanup_free_ char *text = NULL, *clean = NULL;

	consumer->faults++;
	if (consumer->options->mute)
		return;
	if (asprintf(&text, "%s: error in dt_clause_%u for probe ID %u (%s:%s:%s:%s): %s",
		     consumer->options->program ? consumer->options->program : "erlbpf", head->clause, probe->id,
		     probe->provider, probe->module, probe->function, probe->name, what) < 0) {
		text = NULL;
		return;
	}
	clean = print_clean(&print, text, strlen(text));
	if (clean)
		fprintf(consumer->options->to ? consumer->options->to : stderr, "%s\n", clean);
	if (consumer->options->json)
		json_error(consumer, head, probe, what);
}

static int print_fault(struct consumer *consumer, const struct d_fault_record *record)
{
	char what[128];
	size_t length = (size_t)snprintf(what, sizeof(what), "%s", fault_text(record->fault));

	switch (record->fault) {
	case D_FAULT_BADADDR:
	case D_FAULT_BADALIGN:
	case D_FAULT_BADSTACK:
	case D_FAULT_BADSIZE:
		if (record->fault != D_FAULT_BADADDR || record->value != UINT64_MAX)
			length += (size_t)snprintf(what + length, sizeof(what) - length, " (0x%llx)", record->value);
		break;
	case D_FAULT_BADINDEX:
		length += (size_t)snprintf(what + length, sizeof(what) - length, " (%lld)", record->value);
		break;
	default: break;
	}
	if (record->action != UINT64_MAX)
		snprintf(what + length, sizeof(what) - length, " at BPF pc %llu", record->action);
	print_error(consumer, &record->head, what);
	return 0;
}

/* --- Actions -------------------------------------------------------------------------------------- */

char *consumer_format(const struct consumer *consumer, const struct record *record, const struct action *action)
{
	struct print print = consumer_print(consumer, record->head);
	struct format_source source = { .bytes = record->bytes, .fields = action->fields };
	char *text = NULL;
	size_t size = 0;

	/* Not for a terminal: it is a command, the name of a file, or goes through an encoder. */
	print.is_terminal = false;
	print.to = open_memstream(&text, &size);
	if (!print.to)
		return NULL;
	if (action->format)
		print_format(&print, action->format, &source);
	if (fclose(print.to)) {
		free(text);
		return NULL;
	}
	return text;
}

static void read_field(const struct consumer *consumer, const struct record *record, const struct field *field,
		       struct value *value)
{
	struct print print = consumer_print(consumer, record->head);

	value_read(value, &print, &record->bytes, field);
}

static int do_reopen(struct consumer *consumer, const struct record *record, const struct action *action)
{
	_cleanup_free_ char *path = consumer_format(consumer, record, action), *what = NULL;
	int err = path ? output_reopen(&consumer->output, path) : -ENOMEM;

	if (!err || err == -EPIPE || err == -ENOMEM)
		return err;
	if (asprintf(&what, "couldn't freopen() \"%s\": %s", path, strerror(-err)) < 0) {
		what = NULL;
		return -ENOMEM;
	}
	print_error(consumer, record->head, what);
	return 0;
}

static int do_system(struct consumer *consumer, const struct record *record, const struct action *action)
{
	_cleanup_free_ char *command = consumer_format(consumer, record, action);

	return command ? output_system(&consumer->output, command) : -ENOMEM;
}

/* Text of a field as it is, for whoever is no terminal. */
static char *field_text(const struct consumer *consumer, const struct record *record, const struct field *field)
{
	struct print print = consumer_print(consumer, record->head);
	struct value value;

	print.is_terminal = false;
	value_read(&value, &print, &record->bytes, field);
	return value_text(&print, &value);
}

static int do_setopt(struct consumer *consumer, const struct record *record, const struct action *action)
{
	_cleanup_free_ char *name = NULL, *value = NULL, *what = NULL;
	const char *problem;

	if (!action->fields)
		return 0;
	name = field_text(consumer, record, action->fields);
	if (action->fields->next)
		value = field_text(consumer, record, action->fields->next);
	if (!name || (action->fields->next && !value))
		return -ENOMEM;
	problem = consumer->ops->setopt(consumer->data, name, value);
	if (!problem)
		return 0;
	if (asprintf(&what, "couldn't set option \"%s\" to \"%s\": %s", name, value ? value : "", problem) < 0) {
		what = NULL;
		return -ENOMEM;
	}
	print_error(consumer, record->head, what);
	return 0;
}

static int end_speculation(struct consumer *consumer, const struct record *record, const struct action *action);

static int do_trunc(struct consumer *consumer, const struct record *record, const struct action *action,
		    struct aggregate *aggregate)
{
	struct print print = consumer_print(consumer, record->head);
	struct value most = { .number = 0 };

	if (action->fields)
		read_field(consumer, record, action->fields, &most);
	return aggregate_trunc(aggregate, &print, (int64_t)most.number);
}

static int do_aggregate(struct consumer *consumer, const struct record *record, const struct action *action)
{
	struct aggregate *aggregate = action->agg_count ? aggregates_find(&consumer->aggregates, action->aggs[0])
							: NULL;
	struct value by;

	if (!aggregate)
		return 0;
	switch (action->kind) {
	case ACTION_CLEAR: return consumer->ops->clear(consumer->data, aggregate->agg);
	case ACTION_TRUNC: return do_trunc(consumer, record, action, aggregate);
	case ACTION_NORMALIZE:
		if (action->fields) {
			read_field(consumer, record, action->fields, &by);
			aggregate->normal = value_unsigned(&by) ? value_unsigned(&by) : 1;
		}
		return 0;
	default: aggregate->normal = 1; return 0;
	}
}

int consumer_do(struct consumer *consumer, const struct record *record, const struct action *action)
{
	struct value value;

	switch (action->kind) {
	case ACTION_SYSTEM: return do_system(consumer, record, action);
	case ACTION_FREOPEN: return do_reopen(consumer, record, action);
	case ACTION_FTRUNCATE: return output_truncate(&consumer->output);
	case ACTION_SETOPT: return do_setopt(consumer, record, action);
	case ACTION_EXIT:
		if (action->fields) {
			read_field(consumer, record, action->fields, &value);
			consumer->ops->exit(consumer->data, (int)value.number);
		}
		return 0;
	case ACTION_CLEAR:
	case ACTION_TRUNC:
	case ACTION_NORMALIZE:
	case ACTION_DENORMALIZE: return do_aggregate(consumer, record, action);
	case ACTION_COMMIT:
	case ACTION_DISCARD: return end_speculation(consumer, record, action);
	default: return 0;
	}
}

/* With a third argument, that is how many of the bytes count, unless it is negative or more than there are. */
static void print_memory(const struct print *print, const struct value *values, size_t count)
{
	size_t size = values[0].size;

	if (count > 1 && !(value_is_signed(&values[1]) && (int64_t)values[1].number < 0) &&
	    value_unsigned(&values[1]) < size)
		size = (size_t)value_unsigned(&values[1]);
	print_dump(print, values[0].data, size);
}

#define MOST_VALUES 2 /* that an action without a format has */

static int print_action(struct consumer *consumer, const struct record *record, const struct action *action)
{
	struct print print = consumer_print(consumer, record->head);
	struct format_source source = { .bytes = record->bytes, .fields = action->fields };
	struct value values[MOST_VALUES];
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
	default: return consumer_do(consumer, record, action);
	}
}

static bool prints(const struct action *action)
{
	switch (action->kind) {
	case ACTION_TRACE:
	case ACTION_STACK:
	case ACTION_SYMBOL:
	case ACTION_TRACEMEM:
	case ACTION_PRINT:
	case ACTION_PRINTF:
	case ACTION_PRINTA: return true;
	default: return false;
	}
}

/* commit() and discard() alone are no output. */
static bool records_data(const struct unit_clause *clause)
{
	for (const struct action *action = clause->actions; action; action = action->next)
		if (action->kind != ACTION_COMMIT && action->kind != ACTION_DISCARD)
			return true;
	return false;
}

/* Nobody reads it: only what actions do is done. */
static int do_record(struct consumer *consumer, const struct record *record)
{
	int err = 0;

	for (const struct action *action = record->clause->actions; action && !err; action = action->next) {
		if (!action_ran(record, action))
			continue;
		consumer->muted += prints(action);
		err = consumer_do(consumer, record, action);
	}
	return err;
}

static int print_record(struct consumer *consumer, const struct record *record)
{
	bool has_data = records_data(record->clause);
	int err = 0;

	if (consumer->options->mute)
		return do_record(consumer, record);
	if (consumer->options->json)
		return json_record(consumer, record);
	if (has_data)
		print_front(consumer, record);
	for (const struct action *action = record->clause->actions; action && !err; action = action->next)
		if (action_ran(record, action))
			err = print_action(consumer, record, action);
	if (has_data && !consumer->options->quiet)
		fputc('\n', consumer->output.to);
	return err;
}

static int look_at(struct consumer *consumer, const struct d_record *head, size_t size)
{
	struct record record = { .head = head, .bytes = { head, size, false } };

	if (head->clause >= consumer->clause_count || !consumer->clauses[head->clause])
		return -EBADMSG;
	record.clause = consumer->clauses[head->clause];
	record.probe = consumer->ops->probe(consumer->data, head->probe, head->function, head->os_pid);
	return print_record(consumer, &record);
}

static int end_speculation(struct consumer *consumer, const struct record *record, const struct action *action)
{
	struct speculated *kept, *next;
	struct value value;
	int err = 0;

	if (!action->fields)
		return 0;
	read_field(consumer, record, action->fields, &value);
	if (!value.number || value.number > consumer->unit->options.speculations)
		return 0;
	kept = speculations_end(&consumer->speculations, (uint32_t)value.number, record->head->time_ns,
				action->kind == ACTION_COMMIT);
	for (; kept; kept = next) {
		next = kept->next;
		if (!err && action->kind == ACTION_COMMIT)
			err = look_at(consumer, (const struct d_record *)(const void *)kept->record, kept->size);
		free(kept);
	}
	if (consumer->ops->speculation_done)
		consumer->ops->speculation_done(consumer->data, (uint32_t)value.number);
	return err;
}

/* --- What others call ----------------------------------------------------------------------------- */

void consumer_begin(struct consumer *consumer)
{
	consumer->has_heading = false;
}

int consumer_record(struct consumer *consumer, const void *record, size_t size)
{
	const struct d_record *head = record;
	int err = 0;

	if (size < sizeof(*head))
		return -EBADMSG;
	if (head->kind == D_RECORD_FAULT)
		return size < sizeof(struct d_fault_record) ? -EBADMSG : print_fault(consumer, record);
	if (!head->speculation || speculations_add(&consumer->speculations, head, size) == SPECULATE_PRINT)
		err = look_at(consumer, head, size);
	return err ? err : ferror(consumer->output.to) ? -EPIPE : 0;
}

int consumer_flush(struct consumer *consumer)
{
	return output_flush(&consumer->output);
}

int consumer_end(struct consumer *consumer)
{
	struct print print = consumer_print(consumer, NULL);
	int err;

	if (consumer->options->mute)
		return 0;
	if (consumer->options->json) {
		err = json_aggregations(consumer);
	} else {
		fputc('\n', print.to);
		err = aggregates_print_rest(&consumer->aggregates, &print);
	}
	return err ? err : output_flush(&consumer->output);
}

int consumer_summary(struct consumer *consumer, const struct d_drops *lost)
{
	int err = consumer->options->json ? json_summary(consumer, lost) : 0;

	return err ? err : output_flush(&consumer->output);
}

uint64_t consumer_speculation_drops(const struct consumer *consumer)
{
	return consumer->speculations.drops;
}
