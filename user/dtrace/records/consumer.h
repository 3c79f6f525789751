/* SPDX-License-Identifier: BSD-2-Clause */
/* Internal to the consumer: shared by consume.c, the output formats, and actions. */
#ifndef ERLBPF_DTRACE_RECORDS_CONSUMER_H
#define ERLBPF_DTRACE_RECORDS_CONSUMER_H

#include "dtrace/aggregations/aggregate.h"
#include "dtrace/records/consume.h"
#include "dtrace/provider/probes.h"
#include "dtrace/records/output.h"
#include "dtrace/print/print.h"
#include "dtrace/records/speculate.h"

/* -F: the depth of a CPU, and its last clause. */
struct flow {
	unsigned int indent;
	unsigned int probe, clause; /* 0: none yet */
};

struct consumer {
	const struct unit *unit;
	const struct consumer_options *options;
	const struct consumer_ops *ops;
	void *data;
	struct output output;
	struct aggregates aggregates;
	struct speculations speculations;
	struct unit_clause **clauses; /* by id */
	unsigned int clause_count;
	struct flow *flows; /* by CPU */
	size_t flow_count;
	bool has_heading;
	bool has_schema;	 /* -j: the first line was printed */
	uint64_t events, errors; /* -j: numbers of lines */
	uint64_t faults;
	uint64_t muted;	      /* actions with omitted output */
	uint64_t wall_offset; /* wall clock minus the clock of records */
};

/* The current record. */
struct record {
	const struct d_record *head;
	struct bytes bytes;
	const struct unit_clause *clause;
	const struct probe_names *probe;
};

struct print consumer_print(const struct consumer *consumer, const struct d_record *head);

/* Text of an action's format, as a new string that the caller frees; NULL: out of memory. */
char *consumer_format(const struct consumer *consumer, const struct record *record, const struct action *action);

static inline bool action_ran(const struct record *record, const struct action *action)
{
	return action->condition < 0 || (record->head->ran >> (action->condition & 63) & 1);
}

void consumer_field(const struct consumer *consumer, const struct record *record, const struct field *field,
		    struct field_value *value);

/* action.c: actions that do more than print. */

/* Does nothing for an action that only prints or ends a speculation. 0 or -errno. */
int action_do(struct consumer *consumer, const struct record *record, const struct action *action);

/* fault.c: run-time errors, of a clause or of an action. */

/* A clause with a fault. */
void fault_record(struct consumer *consumer, const struct d_fault_record *record);

/* Prints to stderr, without control characters, as on a terminal. */
void fault_print(struct consumer *consumer, const struct d_record *head, const char *what);

/* text_record.c: a record as text, a prefix unless quiet and then the actions in order. */

/* The CPU, the id of the probe and its name; with -F, indented by depth. */
void text_front(struct consumer *consumer, const struct record *record);

/* Prints what an action recorded. 0 or -errno. */
int text_action(struct consumer *consumer, const struct record *record, const struct action *action);

#endif
