/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a node has the memory that it wants: its page faults, its swap, and the limit of its control group. */
#ifndef ERLBPF_WHY_HOST_HOST_MEMORY_H
#define ERLBPF_WHY_HOST_HOST_MEMORY_H

#include <sys/types.h>

#include "why/source/signs.h"

struct pressure;

/* The first account. NULL and errno. */
struct pressure *pressure_new(pid_t pid);
void pressure_free(struct pressure *pressure);

/* Since the first account. */
void pressure_finish(const struct pressure *pressure, struct signs *signs);

#endif
