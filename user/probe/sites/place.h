/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moves a probe within a function to an instruction that the kernel emulates, so that a hit is cheap. For tests,
 * ERLBPF_SITES=plain in the environment leaves probes at first instructions and returns.
 */
#ifndef ERLBPF_PROBE_SITES_PLACE_H
#define ERLBPF_PROBE_SITES_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "probe/code/flow_exit.h"
#include "probe/sites/site.h"
#include "target/image/image.h"

/* Moves a site at the function's first byte, if a cheaper place has all the values that it reads. */
void place_at_entry(const struct image *image, uint64_t address, uint64_t size, struct site *site);

/*
 * Sites that replace one at the function's return. Their number; 0: it stays at the return. Calls that were running
 * when the probe was attached hit these sites, but not the return.
 */
size_t place_before_return(const struct image *image, uint64_t address, uint64_t size, const struct site *site,
			   struct site moved[FLOW_EXITS]);

#endif
