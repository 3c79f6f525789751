/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of speculations, kept until it is known whether they are of interest. A commit and the last record of
 * its speculation may come in either order, since they are from different CPUs: which of two uses of one number
 * a late record belongs to is told by its time.
 */
#ifndef ERLBPF_DTRACE_RECORDS_SPECULATE_H
#define ERLBPF_DTRACE_RECORDS_SPECULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "d.h"

struct speculated {
	struct speculated *next;
	size_t size;
	__u64 record[]; /* struct d_record and what follows */
};

struct speculation {
	uint32_t id;
	struct speculated *first, **last;
	size_t size;
	uint64_t end_ns; /* when it last was committed or discarded; 0: never */
	bool was_committed;
	struct speculation *next;
};

struct speculations {
	struct speculation *list;
	size_t most; /* bytes of each */
	unsigned int count;
	uint64_t drops;
};

enum speculate { SPECULATE_KEPT, SPECULATE_DROPPED, SPECULATE_PRINT };

/* A record of a speculation: it is kept, or to be printed now, because it belongs to one that was committed. */
enum speculate speculations_add(struct speculations *speculations, const struct d_record *record, size_t size);

/* commit(), discard() at that time: what was kept, in order, for the caller to free one by one; or NULL. */
struct speculated *speculations_end(struct speculations *speculations, uint32_t id, uint64_t time_ns, bool is_commit);

void speculations_free(struct speculations *speculations);

#endif
