/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The circuit breaker: probes whose results must be complete stay attached until they have used more than a limit for
 * one second, and are then removed for good.
 */
#ifndef ERLBPF_BUDGET_BREAKER_H
#define ERLBPF_BUDGET_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

#define BREAKER_SLOTS 20 /* of the last second */

struct breaker {
	double limit;		     /* processors */
	double slots[BREAKER_SLOTS]; /* CPU time in ns, by time */
	uint64_t slot;		     /* the present one: time / (second / BREAKER_SLOTS) */
	uint64_t began_ns;	     /* when the first cost was added */
};

/* The probes have cost so much CPU time since the last call. True: they used more than the limit in the last second. */
bool breaker_add(struct breaker *breaker, uint64_t now_ns, double cost_ns);

/* Processors that they used in the last second. */
double breaker_used(const struct breaker *breaker);

#endif
