/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The consumer: prints records and aggregations in the exact layout of dtrace(1). It is independent of BPF: records are
 * bytes, aggregations come from a callback.
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

/* NULL and errno. The arguments must outlive it; options are read at each output. */
struct consumer *consumer_new(const struct unit *unit, const struct consumer_options *options,
			      const struct consumer_ops *ops, void *data);
void consumer_free(struct consumer *consumer);

/*
 * Before the first record. The heading "CPU     ID                    FUNCTION:NAME" comes with the first printed
 * record, as in dtrace(1): without output there is none.
 */
void consumer_begin(struct consumer *consumer);

/* A record: struct d_record or struct d_fault_record. 0, or -errno if the reader of the output is gone. */
int consumer_record(struct consumer *consumer, const void *record, size_t size);

/* Flushes the output, after each batch of records. -errno if the reader is gone. */
int consumer_flush(struct consumer *consumer);

/* At the end: an empty line, and all aggregations that no printa() printed, in program order. */
int consumer_end(struct consumer *consumer);

/* -j: the last line, with the losses. */
int consumer_summary(struct consumer *consumer, const struct d_drops *lost);

/* Speculative records dropped here for lack of room. */
uint64_t consumer_speculation_drops(const struct consumer *consumer);

#endif
