/* SPDX-License-Identifier: BSD-2-Clause */
/* The current process of each scheduler of a node, from its memory, without probes. */
#ifndef ERLBPF_NODE_PROCESSES_SCHEDULERS_H
#define ERLBPF_NODE_PROCESSES_SCHEDULERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"
#include "target/target.h"

#define SCHEDULERS_OF_KIND 1024
#define SCHEDULERS_MAX 3072 /* normal, dirty CPU and dirty I/O: at most 1024 each */

struct schedulers;

/* The target and the layout must outlive it. NULL and errno; ENOENT if the release is unknown. */
struct schedulers *schedulers_new(const struct target *target, const struct erl_pid_layout *pids);
void schedulers_free(struct schedulers *schedulers);

size_t schedulers_count(const struct schedulers *schedulers);

/* The running processes, each once, into `ids` of schedulers_count(). Returns their number. */
size_t schedulers_sample(struct schedulers *schedulers, uint64_t *ids);

/* The number of samples in which a scheduler ran a process or port, and one in garbage collection. */
struct scheduler_hits {
	uint32_t busy, collecting;
};

/* One per scheduler, in the order of schedulers_look(), since creation or the last reset. */
const struct scheduler_hits *schedulers_hits(const struct schedulers *schedulers);
void schedulers_forget_hits(struct schedulers *schedulers);

/* Processes and ports in the run queues of normal schedulers. */
size_t schedulers_run_queue(const struct schedulers *schedulers);

/*
 * Reductions of all processes on normal schedulers since the node started; those of a process are added when it is
 * scheduled out. 0: unknown.
 */
uint64_t schedulers_reductions(const struct schedulers *schedulers);

/* Pending timers below 12 hours, of processes, ports and the VM. */
uint64_t schedulers_timers(const struct schedulers *schedulers);

/* The current time on the clock of these timers, in ms. 0: unknown. */
uint64_t schedulers_timer_now(const struct schedulers *schedulers);

enum scheduler_kind { SCHEDULER_NORMAL, SCHEDULER_DIRTY_CPU, SCHEDULER_DIRTY_IO, SCHEDULER_KINDS };

/* Addresses of a scheduler's current process and port, or 0. */
struct scheduler_look {
	uint64_t process, port;
};

/* One per scheduler, into `looks` of schedulers_count(): normal ones, then dirty CPU, then dirty I/O. */
void schedulers_look(const struct schedulers *schedulers, struct scheduler_look *looks);

/*
 * Normal schedulers that are not suspended by system_flag(schedulers_online) or system_flag(multi_scheduling). 0:
 * unknown.
 */
size_t schedulers_online(const struct schedulers *schedulers);

size_t schedulers_of_kind(const struct schedulers *schedulers, enum scheduler_kind kind);

/* The addresses of a scheduler's current process, current port, and flags while it looks for work. */
struct scheduler_words {
	enum scheduler_kind kind;
	unsigned int number; /* within its kind, from 1 */
	uint64_t process, port;
	uint64_t sleep_flags; /* 0: unknown */
};

/* The address of the i-th scheduler's structure, and the above. */
uint64_t schedulers_address(const struct schedulers *schedulers, size_t i);
void schedulers_words(const struct schedulers *schedulers, size_t i, struct scheduler_words *words);

/*
 * The word at that offset of each normal scheduler's structure, 0: unreadable. In one read, because there may be many.
 */
void schedulers_numbers(const struct schedulers *schedulers, int64_t offset, uint64_t numbers[SCHEDULERS_OF_KIND]);

/* The index of the scheduler with that number and kind, without reading memory. False: none. */
bool schedulers_find(const struct schedulers *schedulers, enum scheduler_kind kind, unsigned int number, size_t *i);

#define SCHEDULER_ARGUMENTS 3

/*
 * The first arguments of the BIF that the i-th scheduler runs, as terms; meaningless if it runs none or has fewer.
 * False: unknown.
 */
bool schedulers_arguments(const struct schedulers *schedulers, size_t i, uint64_t terms[SCHEDULER_ARGUMENTS]);

/* The number of normal schedulers, 0 if unknown. */
size_t schedulers_normal(const struct target *target);

#endif
