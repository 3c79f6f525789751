/* SPDX-License-Identifier: BSD-2-Clause */
/* How mailboxes, heaps, binaries and the numbers of processes, ports and atoms change between readings of a node. */
#ifndef ERLBPF_WHY_PROCESSES_PROCESS_TRENDS_H
#define ERLBPF_WHY_PROCESSES_PROCESS_TRENDS_H

#include "node/processes/processes.h"
#include "why/schedulers/samples.h"
#include "why/source/signs.h"

struct trends;

/* Borrows all arguments, which must outlive it. NULL with errno on failure. */
struct trends *trends_new(const struct target *target, struct processes *processes);
void trends_free(struct trends *trends);

/* Reads the process table and the limits. 0 or -errno. */
int trends_read(struct trends *trends);

/* The worst mailboxes so far, into `worst` of SIGN_FEW. Returns their number. Valid until the next reading. */
size_t trends_mailboxes(const struct trends *trends, const struct process **worst);

#define TRENDS_ACTIVE 1000

/* Processes that ran between the last two readings: their number, and an even sample of their rows. */
struct trends_active {
	uint64_t all, every; /* every `every`-th one is in `rows` */
	uint32_t rows[TRENDS_ACTIVE];
	size_t count;
};

const struct trends_active *trends_active(const struct trends *trends);

/* Has the process of the row been idle since the first reading? */
bool trends_is_idle(const struct trends *trends, size_t row);

/* Has it been idle, or only looked at new messages without taking any? */
bool trends_is_stuck(const struct trends *trends, size_t row);

/* Was it never found waiting nor with a message, in three readings or more? */
bool trends_is_sleepless(const struct trends *trends, size_t row);

/* The least number of messages that it had at any reading. */
uint64_t trends_least_queue(const struct trends *trends, size_t row);

/* How long, at least, the process of the row was idle before the last reading. */
uint64_t trends_idle_ns(const struct trends *trends, size_t row);

/* Fills mailboxes, heaps, binaries, limits, spawns, restarts and the run queue. `samples` name the processes. */
void trends_finish(struct trends *trends, const struct samples *samples, struct signs *signs);

#endif
