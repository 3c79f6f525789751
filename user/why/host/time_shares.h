/* SPDX-License-Identifier: BSD-2-Clause */
/* What the time of normal schedulers is spent on, and whose fault it is if what they should do is late. */
#ifndef ERLBPF_WHY_HOST_TIME_SHARES_H
#define ERLBPF_WHY_HOST_TIME_SHARES_H

#include "why/source/signs.h"

/* What was measured of one scheduler: shares of the time. */
struct scheduler_measures {
	bool has_thread; /* the next two are known */
	double ran, waited;
	double busy; /* had something to run, whether or not its thread ran; of that: */
	double collecting, ports, blocked;
	double long_calls; /* the thread ran */
};

/* `throttled` is the part of what the thread waited that is due to the control group. */
struct sign_time_shares time_shares_split(const struct scheduler_measures *measured, double throttled);

/* Of `count` of them; zeros of none. */
struct sign_time_shares time_shares_mean(const struct sign_time_shares *all, size_t count);

enum fault { FAULT_NONE, FAULT_CODE, FAULT_COLLECTOR, FAULT_BLOCKED, FAULT_MACHINE, FAULT_GROUP, FAULTS };

/* What makes messages late most; FAULT_NONE: schedulers have the time that is needed. */
enum fault time_shares_fault(const struct sign_time_shares *shares);

/* One word, for machines; and the rest of a sentence that begins with what the shares are. */
const char *time_shares_fault_word(enum fault fault);
const char *time_shares_fault_text(enum fault fault);

#endif
