/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pacing: probes that are on only as far as their cost for the nodes stays within a budget. While they are hit rarely
 * they stay on, and all is exact; else they are on in short windows. What a hit costs (budget/hit_cost.h) is taken from
 * an account that fills by a share of the nodes' time, from which windows are paid.
 *
 * What is counted then is that of the windows. When they begin and how long they are is decided before
 * (budget/windows.h), or bursts would end them. Cases that have a beginning and an end would be missed the more the
 * longer they take, if a window ended for both at the same time: so half of what a window costs is for cases that have
 * begun in its first half, which are measured to their end, while no more begin. So short and long ones have the same
 * chance, up to about half the length of a window. Of longer ones those that are measured stand for others (reach.h).
 *
 * To put probes in place and to take them away costs, too: they are hit meanwhile. Where that is much, the account is
 * larger: windows are fewer and longer. And the node is held up by it: what waited meanwhile would be the first that a
 * window sees, so that it opens a little later.
 *
 * Where a tool has probes that only say more of cases which others find (details, see attach.h), they go first, and
 * the others stay. They come back when the account is full, if there was a case since; then for processes that had one.
 */
#ifndef ERLBPF_BUDGET_PACE_H
#define ERLBPF_BUDGET_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"
#include "budget/pace_nodes.h"
#include "budget/pace_world.h"
#include "budget/reach.h"
#include "budget/windows.h"

#define PACE_TICK_NS (5 * 1000000ULL)

enum pace_phase {
	PACE_OFF,
	PACE_PLACED, /* the probes are in place, and nothing counts yet */
	PACE_OPEN,
	PACE_CLOSING, /* cases that have begun may end */
};

/* Reductions that the nodes did, and for how long they were seen. */
struct pace_reductions {
	uint64_t count, time_ns;
};

/* What the nodes have done, by their reductions and by their processor time, in ns. */
struct pace_work {
	struct {
		struct pace_reductions reductions;
	} all;
	struct {
		struct pace_reductions reductions;
		int64_t own_ns, cost_ns; /* of the nodes, and of our hits */
	} open;				 /* while a window was */
	struct {
		int64_t own_ns, time_ns;
		struct pace_reductions reductions;
	} away; /* while no probe was in place, and how long that was */
};

struct pace {
	enum pace_mode mode;
	const char *advice;
	const char *details; /* what of cases is not known while those are away that say more; NULL: there are none */
	double share;	     /* of the nodes' time */
	double most_cpus;    /* of the nodes' time that is taken for one; 0: all */
	bool lets_end;	     /* has cases that take time */
	struct pace_world world;
	struct erl_window window;
	struct windows windows;
	uint64_t own_program_ns; /* that is in it */
	enum pace_phase phase;
	bool has_shed, has_shed_details;
	bool wants_details;	/* there was a case since they went */
	uint64_t details_on_ns; /* for which they were there, up to window.details_ns */
	double cpus;		/* that the node uses which uses least, at least one */
	struct pace_nodes nodes;
	uint64_t busy_ns; /* when it was last seen how much they use */
	int64_t account_ns;
	int64_t counted_ns;   /* that it has cost to count calls, and is not paid yet */
	int64_t cases_ns;     /* the same of the probes that find cases alone: they need not pay for details */
	int64_t spent_ns;     /* what was ever taken from that */
	int64_t resume_ns;    /* what it cost to put the probes in place last time, until the window opened */
	int64_t placed_ns;    /* what of `spent_ns` was spent when they were */
	int64_t switch_ns;    /* the same and to take them away, about; 0: that was not done yet */
	struct bill_sum paid; /* up to the last tick, without surcharge */
	double surcharge;     /* surcharge.h */
	int64_t charged_ns;   /* in all, with it */
	uint64_t last_ns, rests_until_ns;
	struct pace_work work;
	bool is_away;		     /* no probe is in place, nor one on its way */
	uint64_t settled_ns;	     /* up to when the processor time in `work` is known */
	uint64_t looked_ns;	     /* up to when the reductions in `work` are */
	uint64_t began_ns, ended_ns; /* ended: 0, it has not */
	uint64_t on_ns;		     /* in all, up to since_ns: cases that began then are measured */
	uint64_t since_ns;	     /* when the window opened, 0: it is not open */
	uint64_t whole_since_ns;     /* since when no hit was missed, 0: from the beginning on; UINT64_MAX: they are */
	uint64_t open_at_ns, close_until_ns;
	struct reach reach; /* of windows that are over */
};

struct pace_setup {
	enum pace_mode mode;
	double share, most_cpus; /* most_cpus: the budget of a node is no larger than that of one that uses so many; 0:
				    it is */
	bool lets_end;
	bool starts_away;    /* nodes are only prepared (follow_pause()), and the first window comes by a tick */
	const char *advice;  /* what the numbers are then, and how to have all; NULL: nobody is told */
	const char *details; /* see struct pace */
	struct pace_world world;
};

/* When an account is full that earns this share of so many processors, if a switch on and off costs so much. */
int64_t pace_full_ns(double share, double cpus, int64_t switch_ns);

/* When the probes have been attached, or only been prepared with PACE_NEVER. pace_free() also of a zeroed one. */
void pace_begin(struct pace *pace, const struct pace_setup *setup);
void pace_free(struct pace *pace);

/* Every PACE_TICK_NS: see whether the probes may stay, or may come back. */
void pace_tick(struct pace *pace);

/*
 * Is no window open, nor about to be? And is one that is going to end soon? One that has been open for long goes on as
 * long as it is paid for.
 */
bool pace_is_away(const struct pace *pace);
bool pace_ends_soon(const struct pace *pace);

/* It may cost another share from now on. */
void pace_set_share(struct pace *pace, double share);

/* After follow_forget(): nodes have other numbers. */
void pace_forget(struct pace *pace);

/* There was a case of which details are wanted. */
void pace_want_details(struct pace *pace);

/* Take the probes away for now: nobody can tick while we wait, for instance for our reader. */
void pace_hold(struct pace *pace);

/* Nothing counts from the moment on that is returned. */
uint64_t pace_end(struct pace *pace);

/* For how long, up to then, what happened was counted, and for how long it was not. */
uint64_t pace_on_ns(const struct pace *pace, uint64_t now_ns);
uint64_t pace_off_ns(const struct pace *pace, uint64_t now_ns);

/* Cases of which durations that time had. */
void pace_reach(const struct pace *pace, uint64_t now_ns, struct reach *reach);

/* ... and for how long details were known. */
uint64_t pace_details_ns(const struct pace *pace, uint64_t now_ns);

/* What the nodes have done: reductions up to now, processor time up to the last tick. */
struct pace_work pace_work(struct pace *pace);

/* What the hits have cost the nodes, up to the last tick. */
uint64_t pace_cost_ns(const struct pace *pace);

#endif
