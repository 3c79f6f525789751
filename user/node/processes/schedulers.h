/* SPDX-License-Identifier: BSD-2-Clause */
/* Which process each scheduler of a node runs, read from its memory without a probe. */
#ifndef ERLBPF_NODE_PROCESSES_SCHEDULERS_H
#define ERLBPF_NODE_PROCESSES_SCHEDULERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"
#include "target/target.h"

#define SCHEDULERS_OF_KIND 1024
#define SCHEDULERS_MAX 3072 /* normal, dirty CPU and dirty IO: the VM's limits are 1024 each */

struct schedulers;

/* The target and the layout must outlive it. NULL and errno; ENOENT if this release is not known. */
struct schedulers *schedulers_new(const struct target *target, const struct erl_pid_layout *pids);
void schedulers_free(struct schedulers *schedulers);

size_t schedulers_count(const struct schedulers *schedulers);

/* The processes that run now, none twice, into `ids` of schedulers_count(). Returns how many. */
size_t schedulers_sample(struct schedulers *schedulers, uint64_t *ids);

/* In how many of the samples a scheduler ran a process or a port, and a process that collected its garbage. */
struct scheduler_hits {
	uint32_t busy, collecting;
};

/* One per scheduler, in the order of schedulers_look(), of the samples since it was created or forgot them. */
const struct scheduler_hits *schedulers_hits(const struct schedulers *schedulers);
void schedulers_forget_hits(struct schedulers *schedulers);

/* Processes and ports that wait in the run queues of the normal schedulers now. */
size_t schedulers_run_queue(const struct schedulers *schedulers);

/*
 * Reductions that the processes of normal schedulers have done since the node began: each adds its own when it is
 * scheduled out. 0: not known.
 */
uint64_t schedulers_reductions(const struct schedulers *schedulers);

/* Timers of less than 12 hours that have not come due, of processes, ports and the VM. */
uint64_t schedulers_timers(const struct schedulers *schedulers);

/* Now on the clock of these, in ms: what is due until then has come due. 0: not known. */
uint64_t schedulers_timer_now(const struct schedulers *schedulers);

enum scheduler_kind { SCHEDULER_NORMAL, SCHEDULER_DIRTY_CPU, SCHEDULER_DIRTY_IO, SCHEDULER_KINDS };

/* What a scheduler runs now: addresses, 0: nothing. */
struct scheduler_look {
	uint64_t process, port;
};

/* One per scheduler, into `looks` of schedulers_count(): first the normal ones, then dirty CPU, then dirty I/O. */
void schedulers_look(const struct schedulers *schedulers, struct scheduler_look *looks);

/* Normal ones that may run something now; the others are suspended: system_flag(schedulers_online), or
 * system_flag(multi_scheduling). 0: that is not known. */
size_t schedulers_online(const struct schedulers *schedulers);

size_t schedulers_of_kind(const struct schedulers *schedulers, enum scheduler_kind kind);

/* A scheduler: addresses of its words with the process and the port that it runs, and its flags while it looks for
 * work. */
struct scheduler_words {
	enum scheduler_kind kind;
	unsigned int number; /* among those of its kind, from 1 */
	uint64_t process, port;
	uint64_t sleep_flags; /* 0: not known */
};

/* Of the i-th one: where its structure is, and the above. */
uint64_t schedulers_address(const struct schedulers *schedulers, size_t i);
void schedulers_words(const struct schedulers *schedulers, size_t i, struct scheduler_words *words);

/* Of each normal one, the word at that offset of its structure, 0: it cannot be read. Together, as there may be many.
 */
void schedulers_numbers(const struct schedulers *schedulers, int64_t offset, uint64_t numbers[SCHEDULERS_OF_KIND]);

/* Which one has that number among those of its kind; nothing is read for it. False: there is none. */
bool schedulers_find(const struct schedulers *schedulers, enum scheduler_kind kind, unsigned int number, size_t *i);

#define SCHEDULER_ARGUMENTS 3

/* The first arguments of the BIF that the i-th one runs, terms: anything if it runs none or has fewer. False: they are
 * not known. */
bool schedulers_arguments(const struct schedulers *schedulers, size_t i, uint64_t terms[SCHEDULER_ARGUMENTS]);

/* How many normal schedulers a node has, 0 if that is not known. */
size_t schedulers_normal(const struct target *target);

#endif
