/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of what the schedulers of a node run: the users, long slices, blocked schedulers. */
#ifndef ERLBPF_WHY_SCHEDULERS_SAMPLES_H
#define ERLBPF_WHY_SCHEDULERS_SAMPLES_H

#include "node/names/call_stack.h"
#include "node/processes/processes.h"
#include "node/processes/schedulers.h"
#include "why/host/host_cpu.h"
#include "why/schedulers/costly_calls.h"
#include "why/schedulers/repeated_calls.h"
#include "why/source/signs.h"

#define SAMPLES_VOTES 4 /* functions counted separately per process */

/* A process that was found running. */
struct sampled {
	uint64_t id; /* 0: no process */
	uint64_t parent;
	uint32_t hits, collecting, urgent;		/* urgent: with priority high or max, on a normal scheduler */
	uint32_t seeking;				/* scanning its mailbox, on a normal scheduler */
	uint32_t of_kind[SCHEDULER_KINDS];		/* samples by kind of scheduler */
	uint32_t short_slices, whole_slices, end_looks; /* that were seen to end, with few reductions or not */
	struct {
		struct call_stack frames;
		uint32_t hits;
	} votes[SAMPLES_VOTES];
};

struct samples;

/* Borrows all arguments, which must outlive it. NULL with errno on failure. */
struct samples *samples_new(const struct target *target, struct schedulers *schedulers, struct processes *processes,
			    const struct host_cpu *host);
void samples_free(struct samples *samples);

/* Takes one sample. */
void samples_take(struct samples *samples);

/* Begins the next step. */
void samples_step(struct samples *samples);

/* Fills signs->schedulers, gc and binary_appends. */
void samples_finish(struct samples *samples, struct signs *signs);

/* Adds what the samples tell of normal scheduler `i`; after samples_finish(). */
void samples_measure(const struct samples *samples, size_t i, struct scheduler_measures *measured);

/* A process that was found running. NULL: it was not. */
const struct sampled *samples_of(const struct samples *samples, uint64_t id);

/* The share of one scheduler that it used. */
double samples_share(const struct samples *samples, const struct sampled *sampled);

/* Its stack in the most frequent function. NULL: none was read. */
const struct call_stack *samples_frames(const struct sampled *sampled);

/* All running processes that were found, including empty entries. Returns the number of entries. */
size_t samples_all(const struct samples *samples, const struct sampled **all);

/* Costly calls, and the share of match specifications among the samples. */
const struct costly_calls *samples_costly(const struct samples *samples);
double samples_matching(const struct samples *samples);

/* Repeated calls. */
const struct repeated_calls *samples_repeated(const struct samples *samples);

/* The parent of most young processes that were found running; 0: none. */
uint64_t samples_spawner(const struct samples *samples);

#endif
