/* SPDX-License-Identifier: BSD-2-Clause */
/* CPU time of the scheduler threads, and the CPU quota of the control group, as the kernel reports them. */
#ifndef ERLBPF_WHY_HOST_HOST_CPU_H
#define ERLBPF_WHY_HOST_HOST_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "why/host/time_shares.h"
#include "why/source/signs.h"
#include "why/host/threads.h"

/* Times of a thread in ns. */
struct host_cpu_times {
	uint64_t ran, waited;
};

struct host_cpu;

/* Begins to measure. `normal`: the number of normal schedulers. NULL with errno on failure. */
struct host_cpu *host_cpu_new(pid_t pid, size_t normal, const struct threads *threads);
void host_cpu_free(struct host_cpu *host);

/* The thread of normal scheduler `i`, from 0. Returns 0 if not known. */
pid_t host_cpu_thread(const struct host_cpu *host, size_t i);

/* False: not readable. */
bool host_cpu_times(const struct host_cpu *host, size_t i, struct host_cpu_times *times);

/* Fills what is known of the thread of normal scheduler `i` since the start. */
void host_cpu_measure(const struct host_cpu *host, size_t i, struct scheduler_measures *measured);

/* The part of the threads' waits for a CPU that the control group causes; after host_cpu_finish(). */
double host_cpu_throttled(const struct signs *signs);

/* Fills the signs, since the start. */
void host_cpu_finish(const struct host_cpu *host, struct signs *signs);

#endif
