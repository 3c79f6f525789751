/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a hit costs is measured on ourselves (budget/hit_cost.h). In a node it may cost more, 1.2 to 2.1 times in
 * RabbitMQ, since the code that goes on after it has lost caches and predictions: the more so the fewer hits there are.
 * That is seen by the processor time that a reduction takes while a window is open and while no probe is in place.
 */
#ifndef ERLBPF_BUDGET_SURCHARGE_H
#define ERLBPF_BUDGET_SURCHARGE_H

#include "budget/pace.h"

/*
 * By what the measured cost of hits has to be multiplied, once probes have been away: SURCHARGE_LEAST, as long as it is
 * not known, to SURCHARGE_MOST.
 */
double surcharge_of(const struct pace_work *work);

/* Until probes have been away. A tool that stays below its budget even so never learns more. */
#define SURCHARGE_FIRST 2.0
/* What is seen scatters, and is too little where caches are cold just after probes have gone. */
#define SURCHARGE_LEAST 1.25
#define SURCHARGE_MOST 4.0

#endif
