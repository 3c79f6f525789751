/* SPDX-License-Identifier: BSD-2-Clause */
/* A program made by hand, one clause with the actions of a test, and records for it. */
#ifndef ERLBPF_TESTS_D_CONSUME_H
#define ERLBPF_TESTS_D_CONSUME_H

#include "d.h"
#include "dtrace/provider/probes.h"
#include "dtrace/records/consume.h"

#define CONSUME_FIELDS 8
#define CONSUME_BYTES 1024
#define CONSUME_ENTRIES 32

struct consume_check {
	struct unit unit;
	struct clause clause, other;
	struct unit_clause unit_clause, unit_other;
	struct consumer_options options;
	struct probe_names probe;
	struct consumer *consumer;
	char path[32]; /* of what is printed */
	/* The record that is being made. */
	union {
		struct d_record head;
		struct d_fault_record fault;
		char bytes[CONSUME_BYTES];
	} record;
	size_t size;
	struct field fields[CONSUME_FIELDS];
	size_t field_count;
	/* Of the aggregation: keys of 8 bytes or strings, and their words. */
	struct agg_entry entries[CONSUME_ENTRIES];
	size_t entry_count;
	int exit_status;
	uint32_t done;
};

extern struct type consume_int, consume_long, consume_unsigned, consume_char, consume_string;

void consume_setup(struct consume_check *check);

/* Fields of the record, one after the other; each stays linked behind the last. */
struct field *consume_number(struct consume_check *check, struct type *type, int64_t number);
struct field *consume_text(struct consume_check *check, const char *text);
struct field *consume_bytes(struct consume_check *check, struct type *type, enum field_kind kind, const void *data,
			    size_t size);

/* Give it the record with these actions; then forget the fields. Its result. */
int consume_record(struct consume_check *check, struct action *actions);

/* End, and hold all that was printed against the text. */
void consume_expect(struct consume_check *check, const char *text);
/* The same without the end's empty line. */
void consume_expect_all(struct consume_check *check, const char *text);

#endif
