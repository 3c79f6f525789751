/* SPDX-License-Identifier: BSD-2-Clause */
/* The order in which the plans of an attachment are linked again. */
#ifndef ERLBPF_TRACE_PLANS_H
#define ERLBPF_TRACE_PLANS_H

#include <stddef.h>

#include "trace/attach.h"

/* What was hit most so far goes last; else they stay in the order that they have. */
void plans_sort(struct plan *plans, size_t count, const struct loader *loader);

/* The same with the hits of all probes, by their numbers. */
void plans_sort_by(struct plan *plans, size_t count, const uint64_t hits[ERL_PROBES]);

/*
 * Of several programs at a site, the kernel runs first what was linked last. What saves something there for a return is
 * put behind others of its sites: a case that one of them begins would last for as long as the other program runs.
 */
void plans_put_savers_last(struct plan *plans, size_t count);

#endif
