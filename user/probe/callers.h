/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of callers by code ranges: probes/callers.def, applied to one executable. */
#ifndef ERLBPF_PROBE_CALLERS_H
#define ERLBPF_PROBE_CALLERS_H

#include <stdint.h>

#include "erl.h"
#include "target/image/image.h"

/* Address ranges relative to the function at `site`; code outside them is an unknown caller. 0 or -ENOMEM. */
int callers_find(const struct image *image, uint64_t site, struct erl_caller_range ranges[ERL_MAX_CALLERS]);

#endif
