/* SPDX-License-Identifier: BSD-2-Clause */
/* How mailboxes, heaps, binaries and the numbers of things change from one reading of a node to the next. */
#ifndef ERLBPF_WHY_PROCESSES_PROCESS_TRENDS_H
#define ERLBPF_WHY_PROCESSES_PROCESS_TRENDS_H

#include "node/processes/processes.h"
#include "why/schedulers/samples.h"
#include "why/source/signs.h"

struct trends;

/* All is borrowed, and must outlive it. NULL and errno. */
struct trends *trends_new(const struct target *target, struct processes *processes);
void trends_free(struct trends *trends);

/* Read all processes of the node, and the limits. 0 or -errno. */
int trends_read(struct trends *trends);

/* The mailboxes that look worst so far, into `worst` of SIGN_FEW. Returns how many. They hold until the next reading.
 */
size_t trends_mailboxes(const struct trends *trends, const struct process **worst);

#define TRENDS_ACTIVE 1000

/* Processes that did something between the last two readings: so many, and rows of some, evenly from all. */
struct trends_active {
	uint64_t all, every; /* each `every`-th is among the rows */
	uint32_t rows[TRENDS_ACTIVE];
	size_t count;
};

const struct trends_active *trends_active(const struct trends *trends);

/* Has the process of that row done nothing since the first reading? */
bool trends_is_idle(const struct trends *trends, size_t row);

/* The same, or has it only looked at messages that came meanwhile, and taken none? */
bool trends_is_stuck(const struct trends *trends, size_t row);

/* Was it never found waiting, nor with a message, although it was looked at some times? */
bool trends_is_sleepless(const struct trends *trends, size_t row);

/* So many messages, at least, it had at each reading. */
uint64_t trends_least_queue(const struct trends *trends, size_t row);

/* For how long, at least, the process of that row has done nothing before the last reading. */
uint64_t trends_idle_ns(const struct trends *trends, size_t row);

/* Into the signs: mailboxes, heaps, binaries, limits, spawns, restarts, who is starved. `samples` says who did it. */
void trends_finish(struct trends *trends, const struct samples *samples, struct signs *signs);

#endif
