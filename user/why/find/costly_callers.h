/* SPDX-License-Identifier: BSD-2-Clause */
/* What those that run were found to do: signs of chores.h, and of collections that are forced. */
#ifndef ERLBPF_WHY_FIND_COSTLY_CALLERS_H
#define ERLBPF_WHY_FIND_COSTLY_CALLERS_H

#include "why/schedulers/samples.h"

/* Into the signs: chores, searched, copied_to, gc_asker. */
void costly_callers_finish(const struct samples *samples, struct processes *processes, struct signs *signs);

#endif
