/* SPDX-License-Identifier: BSD-2-Clause */
/* What the hits of a run have cost the nodes: how often each probe was hit, and what kind its sites are. */
#ifndef ERLBPF_BUDGET_BILL_H
#define ERLBPF_BUDGET_BILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "budget/hit_cost.h"
#include "load/load.h"
#include "trace/follow.h"

/* When bill_sum() looked last. */
struct bill_hits {
	uint64_t hits;
	uint64_t saves; /* at the entry, where something is saved for the return */
};

/* A probe, and the dearest of its sites that are not single-stepped. */
struct bill_line {
	uint32_t probe;
	enum hit_kind kind;
	enum hit_kind entry; /* of a probe at returns: what the entries of these functions are */
	bool at_return;
	bool is_detail; /* see attach.h */
	uint64_t vm_ns; /* what the VM itself does at each, because of us */
	struct bill_hits plain, stepped;
	uint64_t events;
};

/*
 * What programs take at a hit, from pieces of the run: one in which a program lost its processor to others for a while
 * says nothing.
 */
#define BILL_PIECES 15

struct bill_pieces {
	uint64_t ns[BILL_PIECES];
	size_t count;
	uint64_t hits, run_ns; /* at the end of the last */
};

struct bill {
	struct bill_line *lines;
	size_t count;
	size_t targets;	     /* whose sites are in it */
	uint64_t hits;	     /* all that bill_sum() saw last */
	uint64_t events;     /* of these, those that passed all filters */
	uint64_t counted;    /* calls that VMs have counted */
	uint64_t program_ns; /* that programs take at a hit, 0: not known yet */
	bool is_learning;    /* the last look has told something of that, and the next ones may */
	struct bill_pieces pieces;
	int stats; /* fd as long as which the kernel measures that, -1: it does not */
};

/* For a time the kernel measures how long programs run, if it does so for us. */
void bill_begin(struct bill *bill);

/* Nodes come and go: before each bill_sum(). Memory that is short is no error; the bill is too low then. */
void bill_learn(struct bill *bill, const struct follow *follow);

/* Nodes have other numbers: their sites are learned again. */
void bill_forget(struct bill *bill);

/* In nanoseconds of the nodes' threads. */
struct bill_sum {
	uint64_t all_ns, details_ns; /* of hits */
	uint64_t counted_ns;	     /* of calls that the VM counts, whether there are probes or not */
};

/* Since the run began. */
struct bill_sum bill_sum(struct bill *bill, const struct loader *loader, const struct hit_costs *costs);

/* What the hits of a line have cost. */
uint64_t bill_line_ns(const struct bill_line *line, const struct hit_costs *costs, uint64_t program_ns);

/* So many hits, and so long programs, since the run began. What a hit takes, or 0 as long as that is not known. */
uint64_t bill_pieces_add(struct bill_pieces *pieces, uint64_t hits, uint64_t run_ns);

/* What programs take at a hit, as far as it is known now. */
uint64_t bill_program_ns(const struct bill *bill);

void bill_free(struct bill *bill);

#endif
