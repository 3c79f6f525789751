/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Speculative records, held until commit() or discard(). A commit and the last record of its speculation can arrive in
 * either order, because they come from different CPUs: the time tells to which use of the id a late record belongs.
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
	__u64 record[]; /* struct d_record and its data */
};

struct speculation {
	uint32_t id;
	struct speculated *first, **last;
	size_t size;
	uint64_t end_ns; /* last commit or discard; 0: never */
	bool was_committed;
	struct speculation *next;
};

struct speculations {
	struct speculation *list;
	size_t most; /* bytes in each */
	unsigned int count;
	uint64_t drops;
};

enum speculate { SPECULATE_KEPT, SPECULATE_DROPPED, SPECULATE_PRINT };

/* A speculative record: it is held, or printed now because its speculation was committed. */
enum speculate speculations_add(struct speculations *speculations, const struct d_record *record, size_t size);

/* commit() or discard() at that time: returns the held records in order, for the caller to free one by one; or NULL. */
struct speculated *speculations_end(struct speculations *speculations, uint32_t id, uint64_t time_ns, bool is_commit);

void speculations_free(struct speculations *speculations);

#endif
