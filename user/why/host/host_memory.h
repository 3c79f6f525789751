/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of a node as the kernel reports it: page faults, swap, and the limit of the control group. */
#ifndef ERLBPF_WHY_HOST_HOST_MEMORY_H
#define ERLBPF_WHY_HOST_HOST_MEMORY_H

#include <sys/types.h>

#include "why/source/signs.h"

struct host_memory;

/* Begins to measure. NULL with errno on failure. */
struct host_memory *host_memory_new(pid_t pid);
void host_memory_free(struct host_memory *pressure);

/* Fills the signs, since the start. */
void host_memory_finish(const struct host_memory *pressure, struct signs *signs);

#endif
