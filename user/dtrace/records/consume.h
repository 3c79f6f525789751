/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The consumer: what records and aggregations look like when they are printed, to the column as dtrace(1)
 * prints them. It knows nothing of BPF: records come as bytes, aggregations through a callback.
 */
#ifndef ERLBPF_DTRACE_RECORDS_CONSUME_H
#define ERLBPF_DTRACE_RECORDS_CONSUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "d.h"
#include "d/lang/unit.h"
#include "dtrace/print/consumer_ops.h"

struct consumer;

/* NULL and errno. What it is given must outlive it; the options are looked at whenever something is printed. */
struct consumer *consumer_new(const struct unit *unit, const struct consumer_options *options,
			      const struct consumer_ops *ops, void *data);
void consumer_free(struct consumer *consumer);

/*
 * Before the first record. The heading "CPU     ID                    FUNCTION:NAME" comes with the first
 * record that is printed, as dtrace(1) does it: there is none if nothing is.
 */
void consumer_begin(struct consumer *consumer);

/* A record: struct d_record or struct d_fault_record. 0, or -errno if nobody reads the output any more. */
int consumer_record(struct consumer *consumer, const void *record, size_t size);

/* What was printed goes out: after each batch of records. -errno if nobody reads it any more. */
int consumer_flush(struct consumer *consumer);

/* At the end: an empty line, and all aggregations that no printa() has shown, in the order of the program. */
int consumer_end(struct consumer *consumer);

/* -j: behind all that, the last line, with what was lost. */
int consumer_summary(struct consumer *consumer, const struct d_drops *lost);

/* Records of speculations for which there was no room here. */
uint64_t consumer_speculation_drops(const struct consumer *consumer);

#endif
