/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pacing: probes that are on only as far as their cost for the nodes stays within a bound. While they are
 * hit rarely they stay on, and counts are exact; else they are on in short windows. What a hit costs is
 * taken from an account that fills by a share of the nodes' time; when it is overdrawn the probes go, when
 * it is full they come back. The tool's programs include bpf/paced.bpf.h.
 */
#ifndef ERLBPF_RUN_PACE_H
#define ERLBPF_RUN_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"
#include "run/follow.h"
#include "load/load.h"

struct pace {
	enum pace_mode mode;
	struct loader *loader;
	struct follow *follow;
	uint64_t cpus;	/* that the smallest node keeps busy at most */
	size_t targets; /* for which that holds */
	int64_t account_ns;
	uint64_t hits; /* up to the last tick */
	uint64_t last_ns;
	uint64_t on_ns;	   /* in all, up to since_ns */
	uint64_t since_ns; /* when the probes came, 0: they are off */
};

/* When the probes have been attached, or only been prepared with PACE_NEVER. */
void pace_begin(struct pace *pace, enum pace_mode mode, struct loader *loader, struct follow *follow);

/* Some times a second: see whether the probes may stay, or may come back. */
void pace_tick(struct pace *pace);

/* Take the probes away for now: nobody can tick while we wait, for instance for our reader. */
void pace_hold(struct pace *pace);

/* Nothing counts from now on. */
void pace_end(struct pace *pace, uint64_t now_ns);

/* For how long the probes have been on. */
uint64_t pace_on_ns(const struct pace *pace, uint64_t now_ns);

#endif
