// SPDX-License-Identifier: BSD-2-Clause
/*
 * From records to the output of a program. A record is one clause of one firing. The unit describes its contents and
 * actions; text_record.c and json_record.c print them.
 */
#include "dtrace/records/consume.h"

#include <errno.h>
#include <stdlib.h>

#include "base/duration.h"
#include "dtrace/aggregations/aggregate.h"
#include "dtrace/records/consumer.h"
#include "dtrace/records/json_record.h"

#define SPECULATION_SIZE ((size_t)4 << 20)

/* Life cycle. */

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
	err = output_open(&consumer->output, options->output, options->to, ops->meanwhile, data);
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

/* Records. */

static int look_at(struct consumer *consumer, const struct d_record *head, size_t size);

static int end_speculation(struct consumer *consumer, const struct record *record, const struct action *action)
{
	struct speculated *kept, *next;
	struct field_value value;
	int err = 0;

	if (!action->fields)
		return 0;
	consumer_field(consumer, record, action->fields, &value);
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

static int do_action(struct consumer *consumer, const struct record *record, const struct action *action)
{
	if (action->kind == ACTION_COMMIT || action->kind == ACTION_DISCARD)
		return end_speculation(consumer, record, action);
	return action_do(consumer, record, action);
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

/* There is no reader: only perform the effects of actions. */
static int do_silently(struct consumer *consumer, const struct record *record)
{
	int err = 0;

	for (const struct action *action = record->clause->actions; action && !err; action = action->next) {
		if (!action_ran(record, action))
			continue;
		consumer->muted += prints(action);
		err = do_action(consumer, record, action);
	}
	return err;
}

/* -j */
static int put_record(struct consumer *consumer, const struct record *record)
{
	int err = json_event(consumer, record);

	for (const struct action *action = record->clause->actions; action && !err; action = action->next) {
		if (action_ran(record, action))
			err = action->kind == ACTION_PRINTA ? json_printa(consumer, action)
							    : do_action(consumer, record, action);
	}
	return err;
}

static int print_record(struct consumer *consumer, const struct record *record)
{
	bool has_data = records_data(record->clause);
	int err = 0;

	if (consumer->options->mute)
		return do_silently(consumer, record);
	if (consumer->options->json)
		return put_record(consumer, record);
	if (has_data)
		text_front(consumer, record);
	for (const struct action *action = record->clause->actions; action && !err; action = action->next)
		if (action_ran(record, action))
			err = prints(action) ? text_action(consumer, record, action)
					     : do_action(consumer, record, action);
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
	record.probe = consumer->ops->probe(consumer->data, head->probe, head->function, head->os_id);
	return print_record(consumer, &record);
}

/* Public functions. */

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
	if (head->kind == D_RECORD_FAULT) {
		if (size < sizeof(struct d_fault_record))
			return -EBADMSG;
		fault_record(consumer, record);
		return 0;
	}
	if (!head->speculation || speculations_add(&consumer->speculations, head, size) == SPECULATE_PRINT)
		err = look_at(consumer, head, size);
	/* Writes again after a failed write, to get the error. */
	return err ? err : ferror(consumer->output.to) ? output_flush(&consumer->output) : 0;
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
