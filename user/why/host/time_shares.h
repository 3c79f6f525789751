/* SPDX-License-Identifier: BSD-2-Clause */
/* How normal schedulers spend their time, and what delays messages. */
#ifndef ERLBPF_WHY_HOST_TIME_SHARES_H
#define ERLBPF_WHY_HOST_TIME_SHARES_H

#include "why/source/signs.h"

/* Measured for one scheduler: shares of the time. */
struct scheduler_measures {
	bool has_thread; /* the next two are known */
	double ran, waited;
	double busy; /* had something to run, whether or not its thread ran; of that: */
	double collecting, ports, blocked;
	double long_calls; /* the thread ran */
};

/* `throttled`: the part of the thread's waits that the control group causes. */
struct sign_time_shares time_shares_split(const struct scheduler_measures *measured, double throttled);

/* The mean of `count` of them; zeros if there are none. */
struct sign_time_shares time_shares_mean(const struct sign_time_shares *all, size_t count);

enum fault { FAULT_NONE, FAULT_CODE, FAULT_COLLECTOR, FAULT_BLOCKED, FAULT_MACHINE, FAULT_GROUP, FAULTS };

/* What delays messages most; FAULT_NONE: schedulers have time left. */
enum fault time_shares_fault(const struct sign_time_shares *shares);

/* One word for machines, and the end of a sentence that begins with the shares. */
const char *time_shares_fault_word(enum fault fault);
const char *time_shares_fault_text(enum fault fault);

#endif
