/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When tick-N is due. A CPU's clock fires it, in whatever runs there; the kernel drops a firing of a clock that comes
 * while another program runs on its CPU, or while the CPU is held up. So we look a little later whether it has fired,
 * and fire it ourselves if not. Who comes first counts it, so none fires twice: see struct d_tick.
 */
#ifndef ERLBPF_DTRACE_ATTACH_TICKS_H
#define ERLBPF_DTRACE_ATTACH_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#include "dtrace/provider/probes.h"

struct ticks;

bool tick_is(const struct d_probe *probe);

/* Entries that the map needs, one at least. */
unsigned int ticks_entries(const struct probes *probes);

/* Of the map d_ticks. NULL and errno. */
struct ticks *ticks_new(int map);
void ticks_free(struct ticks *ticks);

/* The first is due after its period from now on. To be called before its clock is started. */
void ticks_start(struct ticks *ticks, const struct d_probe *probe);

/* When to look at it for the first time, then again after each period. */
uint64_t ticks_look_ns(const struct ticks *ticks, const struct d_probe *probe);

/* Is one due that has not fired? Then it counts as fired now. */
bool ticks_take(struct ticks *ticks, const struct d_probe *probe);

#endif
