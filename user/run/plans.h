/* SPDX-License-Identifier: BSD-2-Clause */
/* The order in which the plans of an attachment are linked again. */
#ifndef ERLBPF_RUN_PLANS_H
#define ERLBPF_RUN_PLANS_H

#include <stddef.h>

#include "run/attach.h"

/* What was hit most so far goes last; else they stay in the order that they have. */
void plans_sort(struct plan *plans, size_t count, const struct loader *loader);

/* The same with the hits of all probes, by their numbers. */
void plans_sort_by(struct plan *plans, size_t count, const uint64_t hits[ERL_PROBES]);

#endif
