/* SPDX-License-Identifier: BSD-2-Clause */
/* What the schedulers of a node run, looked at many times: who uses them, who keeps one, who sleeps on one. */
#ifndef ERLBPF_WHY_SCHEDULERS_SAMPLES_H
#define ERLBPF_WHY_SCHEDULERS_SAMPLES_H

#include "node/names/call_stack.h"
#include "node/processes/processes.h"
#include "node/processes/schedulers.h"
#include "why/host/host_cpu.h"
#include "why/schedulers/costly_calls.h"
#include "why/schedulers/repeated_calls.h"
#include "why/source/signs.h"

#define SAMPLES_VOTES 4 /* functions of a process that are told apart */

/* A process that was found running. */
struct sampled {
	uint64_t id; /* 0: no process */
	uint64_t parent;
	uint32_t hits, collecting, urgent;		/* urgent: with priority high or max, on a normal scheduler */
	uint32_t seeking;				/* looking into its mailbox, on a normal scheduler */
	uint32_t of_kind[SCHEDULER_KINDS];		/* the hits, by kind of scheduler */
	uint32_t short_slices, whole_slices, end_looks; /* that were seen to end: with few reductions, or not */
	struct {
		struct call_stack frames;
		uint32_t hits;
	} votes[SAMPLES_VOTES];
};

struct samples;

/* All is borrowed, and must outlive it. NULL and errno. */
struct samples *samples_new(const struct target *target, struct schedulers *schedulers, struct processes *processes,
			    const struct host_cpu *host);
void samples_free(struct samples *samples);

/* Look once. */
void samples_take(struct samples *samples);

/* The next step begins. */
void samples_step(struct samples *samples);

/* Into the signs: pools, slices, blocked, collections, what is urgent. */
void samples_finish(struct samples *samples, struct signs *signs);

/* Of normal scheduler `i`, into what looks say of it; after samples_finish(). */
void samples_measure(const struct samples *samples, size_t i, struct scheduler_measures *measured);

/* A process that was found running, NULL: it was not. */
const struct sampled *samples_of(const struct samples *samples, uint64_t id);

/* The share of one scheduler that it used. */
double samples_share(const struct samples *samples, const struct sampled *sampled);

/* Its frames in the function that it was found in most, NULL: none were read. */
const struct call_stack *samples_frames(const struct sampled *sampled);

/* All that were found running. Returns how many; some are of no process. */
size_t samples_all(const struct samples *samples, const struct sampled **all);

/* What was found of chores.h, and the share of what schedulers run that is match specifications. */
const struct costly_calls *samples_costly(const struct samples *samples);
double samples_matching(const struct samples *samples);

/* What was found of repeats.h. */
const struct repeated_calls *samples_repeated(const struct samples *samples);

/* Parents of what was found running and is young: who is found most, 0: none. */
uint64_t samples_spawner(const struct samples *samples);

#endif
