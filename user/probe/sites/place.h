/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where in a function a probe goes, so that a hit costs little: at an instruction that the kernel emulates. With
 * ERLBPF_SITES=plain in the environment, for tests, probes are at first instructions and at returns.
 */
#ifndef ERLBPF_PROBE_SITES_PLACE_H
#define ERLBPF_PROBE_SITES_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "probe/code/flow_exit.h"
#include "probe/sites/site.h"
#include "target/image/image.h"

/* Move a site that is at the function's first byte, if a cheaper place has all that it reads. */
void place_at_entry(const struct image *image, uint64_t address, uint64_t size, struct site *site);

/*
 * The sites that stand for one at the function's return. Their number; 0: it stays at the return. A call that was under
 * way when the probe is attached hits them, and would not hit the return.
 */
size_t place_before_return(const struct image *image, uint64_t address, uint64_t size, const struct site *site,
			   struct site moved[FLOW_EXITS]);

#endif
