// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/records/consumer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "dtrace/aggregations/snapshot.h"

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
	fault_print(consumer, record->head, what);
	return 0;
}

static int do_system(struct consumer *consumer, const struct record *record, const struct action *action)
{
	_cleanup_free_ char *command = consumer_format(consumer, record, action);

	return command ? output_system(&consumer->output, command) : -ENOMEM;
}

/* Raw text of a field, for output that is not a terminal. */
static char *field_text(const struct consumer *consumer, const struct record *record, const struct field *field)
{
	struct print print = consumer_print(consumer, record->head);
	struct field_value value;

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
	fault_print(consumer, record->head, what);
	return 0;
}

static int do_trunc(struct consumer *consumer, const struct record *record, const struct action *action,
		    struct aggregate *aggregate)
{
	struct print print = consumer_print(consumer, record->head);
	struct field_value most = { .number = 0 };

	if (action->fields)
		consumer_field(consumer, record, action->fields, &most);
	return aggregate_trunc(aggregate, &print, (int64_t)most.number);
}

static int do_aggregate(struct consumer *consumer, const struct record *record, const struct action *action)
{
	struct aggregate *aggregate = action->agg_count ? aggregates_find(&consumer->aggregates, action->aggs[0])
							: NULL;
	struct field_value by;

	if (!aggregate)
		return 0;
	switch (action->kind) {
	case ACTION_CLEAR: return consumer->ops->clear(consumer->data, aggregate->agg);
	case ACTION_TRUNC: return do_trunc(consumer, record, action, aggregate);
	case ACTION_NORMALIZE:
		if (action->fields) {
			consumer_field(consumer, record, action->fields, &by);
			aggregate->normal = value_unsigned(&by) ? value_unsigned(&by) : 1;
		}
		return 0;
	default: aggregate->normal = 1; return 0;
	}
}

int action_do(struct consumer *consumer, const struct record *record, const struct action *action)
{
	struct field_value value;

	switch (action->kind) {
	case ACTION_SYSTEM: return do_system(consumer, record, action);
	case ACTION_FREOPEN: return do_reopen(consumer, record, action);
	case ACTION_FTRUNCATE: return output_truncate(&consumer->output);
	case ACTION_SETOPT: return do_setopt(consumer, record, action);
	case ACTION_EXIT:
		if (action->fields) {
			consumer_field(consumer, record, action->fields, &value);
			consumer->ops->exit(consumer->data, (int)value.number);
		}
		return 0;
	case ACTION_CLEAR:
	case ACTION_TRUNC:
	case ACTION_NORMALIZE:
	case ACTION_DENORMALIZE: return do_aggregate(consumer, record, action);
	default: return 0;
	}
}
