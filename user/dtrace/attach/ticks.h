/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tick-N. A CPU's clock fires it, in the context of any process. The kernel drops a firing if another program runs on
 * the CPU, or the CPU is stalled. So the session checks slightly later and fires missed ticks. The first of the two
 * counts, so no tick fires twice: see struct d_tick.
 */
#ifndef ERLBPF_DTRACE_ATTACH_TICKS_H
#define ERLBPF_DTRACE_ATTACH_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#include "dtrace/provider/probes.h"

struct ticks;

bool tick_is(const struct d_probe *probe);

/* Entries that the map needs, at least one. */
unsigned int ticks_entries(const struct probes *probes);

/* For the map d_ticks. NULL and errno. */
struct ticks *ticks_new(int map);
void ticks_free(struct ticks *ticks);

/* The first tick is due one period from now. Call it before the clock starts. */
void ticks_start(struct ticks *ticks, const struct d_probe *probe);

/* When to check first, then again after each period. */
uint64_t ticks_check_ns(const struct ticks *ticks, const struct d_probe *probe);

/* True if a due tick has not fired. It then counts as fired. */
bool ticks_claim_missed(struct ticks *ticks, const struct d_probe *probe);

#endif
