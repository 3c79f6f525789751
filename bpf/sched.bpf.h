/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Data about processes, kept from one slice to the next: since when they wait for a scheduler, which one
 * ran them last and on which CPU. And the schedulers themselves, as the VM keeps them.
 */
#ifndef ERLBPF_BPF_SCHED_BPF_H
#define ERLBPF_BPF_SCHED_BPF_H

#include "measure.bpf.h"

#define SCHED_PROCESSES (1 << 18)

/* Offsets in ErtsSchedulerData and ErtsRunQueue (erl_process.h) of 25.2.3, 27.3.4.1 and 29.1.1. */
#define SCHED_NUMBER 184
#define SCHED_RUN_QUEUE 232
#define SCHED_QUEUE_LENGTH(otp) ((otp) == 29 ? 164 : 208)

struct sched_process {
	u64 since_ns;	   /* 0: it is not known to wait for a scheduler */
	u32 scheduler;	   /* number of the one that ran it last; 0: none, or a dirty one */
	u32 woken_running; /* when it was about to wait: the end of its slice may not see it yet */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SCHED_PROCESSES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct sched_process);
} sched_processes SEC(".maps");

/* NULL: there is no room. Processes without a state have ended. */
static __always_inline struct sched_process *sched_make(const struct erl_hit *hit, u64 id, u32 state)
{
	u64 key = erl_process_key(hit, id);
	struct sched_process *found = bpf_map_lookup_elem(&sched_processes, &key), none = {};

	if (found || !key || !state)
		return found;
	bpf_map_update_elem(&sched_processes, &key, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&sched_processes, &key);
}

/*
 * The same when a slice is over: for a process that ended in it, it was the last. Until then an exiting
 * process may have had more of them.
 */
static __always_inline struct sched_process *sched_make_or_forget(const struct erl_hit *hit, u64 id, u32 state)
{
	u64 key = erl_process_key(hit, id);

	if (state)
		return sched_make(hit, id, state);
	bpf_map_delete_elem(&sched_processes, &key);
	return NULL;
}

/* Address of the scheduler that runs the process; 0: a dirty one, or none. */
static __always_inline u64 sched_of(u64 id)
{
	u64 process = erl_config.pids.scheduler_offset ? erl_process_of(id) : 0;

	return process ? erl_load(process + erl_config.pids.scheduler_offset, 8, false) : 0;
}

static __always_inline u32 sched_number(u64 scheduler)
{
	return scheduler ? erl_load(scheduler + SCHED_NUMBER, 8, false) : 0;
}

/* How many processes and ports wait in the scheduler's queue. */
static __always_inline u32 sched_queue_length(u64 scheduler)
{
	return erl_load(erl_load(scheduler + SCHED_RUN_QUEUE, 8, false) + SCHED_QUEUE_LENGTH(erl_config.otp), 4, false);
}

/*
 * The process is run by the scheduler of that number: is it another than last time? After a dirty one, none
 * is. So the VM counts too (erlang:system_flag(scheduling_statistics, enable)), and the way to a dirty
 * scheduler, which is none here.
 */
static __always_inline bool sched_migrated(struct sched_process *p, u32 number)
{
	u32 last = p->scheduler;

	p->scheduler = number;
	return last && number && last != number;
}

#endif
