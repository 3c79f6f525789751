/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel says of a node: whether its schedulers' threads get a CPU, and what its control group allows. */
#ifndef ERLBPF_WHY_HOST_HOST_CPU_H
#define ERLBPF_WHY_HOST_HOST_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "why/host/time_shares.h"
#include "why/source/signs.h"
#include "why/host/threads.h"

/* The times of a thread, in ns. */
struct host_cpu_times {
	uint64_t ran, waited;
};

struct host_cpu;

/* The first account; `normal` is how many normal schedulers there are. NULL and errno. */
struct host_cpu *host_cpu_new(pid_t pid, size_t normal, const struct threads *threads);
void host_cpu_free(struct host_cpu *host);

/* The thread of normal scheduler `i`, from 0; 0: not known. */
pid_t host_cpu_thread(const struct host_cpu *host, size_t i);

/* False: it cannot be read. */
bool host_cpu_times(const struct host_cpu *host, size_t i, struct host_cpu_times *times);

/* Of normal scheduler `i` since the first account, into what is known of its thread. */
void host_cpu_measure(const struct host_cpu *host, size_t i, struct scheduler_measures *measured);

/* Which part of what the threads wait for a CPU, on average, is due to the control group; after host_finish(). */
double host_cpu_throttled(const struct signs *signs);

/* Since the first account. */
void host_cpu_finish(const struct host_cpu *host, struct signs *signs);

#endif
