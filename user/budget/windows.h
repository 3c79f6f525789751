/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When probes that have a budget are on: the rule of budget/pace.h, which sees nothing but times and costs.
 *
 * A window that ended as soon as its hits have cost enough would end within each burst: of bursts, only beginnings were
 * seen, when queues are still short, and of a node that is idle at times mostly idle time. So how long a window is
 * and when it begins is decided before, from what the last ones have cost, and both do not depend on what happens in
 * it. A chance decides about a part of the pause, or what a node does once a second could always be in a window, or
 * never.
 *
 * Exceptions: the first window, which is open until the budget of the first second is spent, and one in which hits cost
 * several times what was expected.
 */
#ifndef ERLBPF_BUDGET_WINDOWS_H
#define ERLBPF_BUDGET_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#define WINDOWS_KEPT 8

struct windows {
	uint64_t length_ns; /* of each part of a window, 0: not known before the first has ended */
	uint64_t due_ns;    /* when the next one begins */
	uint64_t opened_ns;
	uint64_t from_ns; /* when this part began */
	int64_t from_spent_ns;
	double rates[WINDOWS_KEPT]; /* what a nanosecond of the last parts has cost */
	double costs[WINDOWS_KEPT]; /* and the last windows in all */
	uint64_t parts, count;	    /* how many there were */
	uint64_t chance;
};

/* From what hits are paid. */
struct account {
	int64_t ns;	    /* what is there */
	int64_t full_ns;    /* what a window may cost */
	int64_t reserve_ns; /* what of it is for cases to end */
	double share;	    /* what it earns in a nanosecond */
	int64_t spent_ns;   /* what was ever paid for hits */
};

/* As much is saved up at most. */
int64_t windows_most_ns(const struct windows *w, int64_t full_ns);

/* A window opens, may go on, closes (cases that have begun end), is over, or the next one may come. */
void windows_open(struct windows *w, uint64_t now, const struct account *account);
bool windows_go_on(struct windows *w, uint64_t now, const struct account *account);
uint64_t windows_closing_ns(const struct windows *w, uint64_t now);
bool windows_may_close(const struct windows *w, const struct account *account);
void windows_over(struct windows *w, uint64_t now, const struct account *account, int64_t switch_ns);
bool windows_are_due(const struct windows *w, uint64_t now, const struct account *account);

/* Was there a time without probes? */
bool windows_have_been(const struct windows *w);

/* The next one could not be opened. */
void windows_later(struct windows *w, uint64_t now);

#endif
