/* SPDX-License-Identifier: BSD-2-Clause */
/* What was lost, told as dtrace(1) tells it: on stderr, and by tags if that is wanted. */
#ifndef ERLBPF_DTRACE_SESSION_DROPS_H
#define ERLBPF_DTRACE_SESSION_DROPS_H

#include <stdbool.h>
#include <stdint.h>

#include "d.h"

struct drops;

/* The caller owns what it gives; `map` is the fd of d_drops, and stays the caller's. NULL with errno. */
struct drops *drops_new(int map);
void drops_free(struct drops *drops);

/* Say what has been lost since the last time; without a name it is only counted. What the consumer has lost of
 * speculations, it tells itself. */
void drops_report(struct drops *drops, uint64_t speculations, const char *name, bool with_tags);

/* What has been told so far, of all CPUs together. */
struct d_drops drops_total(const struct drops *drops);

#endif
