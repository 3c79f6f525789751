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
struct host_times {
	uint64_t ran, waited;
};

struct host;

/* The first account; `normal` is how many normal schedulers there are. NULL and errno. */
struct host *host_new(pid_t pid, size_t normal, const struct threads *threads);
void host_free(struct host *host);

/* The thread of normal scheduler `i`, from 0; 0: not known. */
pid_t host_thread(const struct host *host, size_t i);

/* False: it cannot be read. */
bool host_times(const struct host *host, size_t i, struct host_times *times);

/* Of normal scheduler `i` since the first account, into what is known of its thread. */
void host_measure(const struct host *host, size_t i, struct shares_measured *measured);

/* Which part of what the threads wait for a CPU, on average, is due to the control group; after host_finish(). */
double host_throttled(const struct signs *signs);

/* Since the first account. */
void host_finish(const struct host *host, struct signs *signs);

#endif
