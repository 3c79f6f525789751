/* SPDX-License-Identifier: BSD-2-Clause */
/* Which code of a VM is what kind of caller: probes/callers.def, for one executable. */
#ifndef ERLBPF_PROBE_CALLERS_H
#define ERLBPF_PROBE_CALLERS_H

#include <stdint.h>

#include "erl.h"
#include "target/image/image.h"

/*
 * Ranges of addresses, relative to the function at `site`; what does not fit is no known caller. 0 or
 * -ENOMEM.
 */
int callers_find(const struct image *image, uint64_t site, struct erl_caller_range ranges[ERL_MAX_CALLERS]);

#endif
