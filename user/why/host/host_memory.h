/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a node has the memory that it wants: its page faults, its swap, and the limit of its control group. */
#ifndef ERLBPF_WHY_HOST_HOST_MEMORY_H
#define ERLBPF_WHY_HOST_HOST_MEMORY_H

#include <sys/types.h>

#include "why/source/signs.h"

struct host_memory;

/* The first account. NULL and errno. */
struct host_memory *host_memory_new(pid_t pid);
void host_memory_free(struct host_memory *pressure);

/* Since the first account. */
void host_memory_finish(const struct host_memory *pressure, struct signs *signs);

#endif
