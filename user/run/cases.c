// SPDX-License-Identifier: BSD-2-Clause
#include "run/cases.h"

#include <string.h>

#include "base/duration.h"
#include "operation.h"
#include "probe/catalogue.h"
#include "probe/functions.h"
#include "results/addresses.h"
#include "run/run.h"

static enum measure_by by_of(enum option_set by)
{
	if (!by)
		return MEASURE_ALL;
	switch (by) {
	case TAKES_BY_PID: return MEASURE_BY_PID;
	case TAKES_BY_NAME: return MEASURE_BY_NAME;
	case TAKES_BY_MFA: return MEASURE_BY_MFA;
	case TAKES_BY_NODE: return MEASURE_BY_NODE;
	case TAKES_BY_SCHEDULER: return MEASURE_BY_SCHEDULER;
	default: return MEASURE_BY_WHAT;
	}
}

struct measure_config cases_config(const struct tool *tool, const struct options *options)
{
	return (struct measure_config){
		.erl_pid = options->erl_pid,
		.min_ns = options->min_ns,
		.by = by_of(options->by),
		.prints = options->min_ns || !tool->hist,
	};
}

static struct run_addresses addresses_of_event(struct run *run, const struct measure_event *e)
{
	uint64_t socket = (uint64_t)e->amounts[OPERATION_THING];

	if (run->addresses)
		addresses_want(run->addresses, e->os_id, socket);
	return addresses_of(run->addresses, e->os_id, socket);
}

static struct value value_of(struct run *run, const struct measure_event *e, enum tool_field field,
			     char name[RUN_NAME_SIZE])
{
	const struct tool_kinds *kinds = &run->tool->kinds;
	int os_id = (int)e->os_id;

	switch (field) {
	case FIELD_PID: return (struct value){ .number = e->id, .is_null = !e->id };
	case FIELD_NAME: return value_of_text(run_name(run, os_id, e->id, e->name, name));
	case FIELD_WHAT: return value_of_text(run_id(run, os_id, e->what));
	case FIELD_BEGAN: return (struct value){ .number = run_wall_ns(run, e->start_ns) };
	case FIELD_ENDED: return (struct value){ .number = run_wall_ns(run, e->end_ns) };
	case FIELD_TOOK:
		/* An instant took no time, not a short one. */
		return (struct value){ .number = e->end_ns - e->start_ns, .is_null = e->end_ns == e->start_ns };
	case FIELD_SCHEDULER: return value_of_text(run_id(run, os_id, e->scheduler));
	case FIELD_KIND: return (struct value){ .text = e->kind < kinds->count ? kinds->names[e->kind] : "" };
	case FIELD_FUNCTION: return value_of_text(function_name(e->function));
	case FIELD_AMOUNT_0:
	case FIELD_AMOUNT_1:
	case FIELD_AMOUNT_2:
	case FIELD_AMOUNT_3:
		return (struct value){ .signed_number = e->amounts[field - FIELD_AMOUNT_0],
				       .is_null = !(e->has >> (field - FIELD_AMOUNT_0) & 1) };
	case FIELD_ID_0:
	case FIELD_ID_1:
	case FIELD_ID_2: return value_of_text(run_id(run, os_id, (uint64_t)e->amounts[field - FIELD_ID_0]));
	case FIELD_LOCAL: return value_of_text(addresses_of_event(run, e).local);
	case FIELD_PEER: return value_of_text(addresses_of_event(run, e).peer);
	default: return (struct value){ .is_null = true };
	}
}

void cases_show(struct run *run, const void *record, size_t size)
{
	const struct measure_event *e = record;
	struct value values[TOOL_MAX_COLUMNS];
	char probe[PROBE_NAME_SIZE], name[RUN_NAME_SIZE];
	struct sink_event shown = { .probe = probe, .values = values };
	size_t count = run->sink.setup.column_count;

	if (size < sizeof(*e) || e->probe >= probe_count())
		return;
	for (size_t i = 0; i < count && i < TOOL_MAX_COLUMNS; i++)
		values[i] = value_of(run, e, run->fields[i], name);
	probe_name(e->probe, probe);
	shown.time_ns = run_wall_ns(run, e->end_ns);
	shown.os_id = (int)e->os_id;
	shown.node = run_node(run, shown.os_id);
	run_event(run, &shown);
}

static bool show_open(void *data, const void *key, const void *value)
{
	struct run *run = data;
	struct measure_event e;
	bool is_known;

	(void)key;
	memcpy(&e, value, sizeof(e));
	/* Its end was not seen, perhaps. */
	if (e.start_ns < run_whole_since(run))
		return false;
	/* Of a VM that has ended, nobody knows when the case did. */
	is_known = follow_is_live(run->follow, e.os_id);
	e.end_ns = is_known ? duration_now() : e.start_ns;
	if (!is_known || e.end_ns - e.start_ns >= run->options->min_ns)
		cases_show(run, &e, sizeof(e));
	return false;
}

int run_show_open(struct run *run, const char *map)
{
	return run_each(run, map, show_open, run);
}

size_t cases_notes(const struct run *run, struct sink_note *notes, size_t count)
{
	static const struct sink_note accounts[MEASURE_ACCOUNTS] = {
		[MEASURE_UNSEEN] = { .name = "unseen",
				     .text = "cases started before the trace",
				     .one = "case started before the trace" },
		[MEASURE_UNPRINTED] = { .name = "unprinted",
					.is_loss = true,
					.text = "cases were not printed because there were too many at once",
					.one = "case was not printed because there were too many at once" },
	};

	for (uint32_t i = 0; i < MEASURE_ACCOUNTS; i++) {
		notes[count] = accounts[i];
		notes[count++].count = run_sum(run, "measure_accounts", i);
	}
	return count;
}
