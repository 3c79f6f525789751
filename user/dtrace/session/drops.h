/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports of losses as in dtrace(1): on stderr, optionally with tags. */
#ifndef ERLBPF_DTRACE_SESSION_DROPS_H
#define ERLBPF_DTRACE_SESSION_DROPS_H

#include <stdbool.h>
#include <stdint.h>

#include "d.h"

struct drops;

/* The caller frees the result, and keeps `map`, the fd of d_drops. NULL with errno. */
struct drops *drops_new(int map);
void drops_free(struct drops *drops);

/* Reports losses since the last call; without a name, only counts them. The consumer's speculation drops are added. */
void drops_report(struct drops *drops, uint64_t speculations, const char *name, bool with_tags);

/* Losses reported so far, summed over CPUs. */
struct d_drops drops_total(const struct drops *drops);

#endif
