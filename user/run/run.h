/* SPDX-License-Identifier: BSD-2-Clause */
/* A tool at work, for those who run tools: the loop of the command line, and the agent. */
#ifndef ERLBPF_RUN_RUN_H
#define ERLBPF_RUN_RUN_H

#include "options.h"
#include "out/view.h"
#include "trace/attach.h"
#include "trace/follow.h"
#include "results/ids.h"
#include "load/kernel/kernel.h"
#include "load/load.h"
#include "results/addresses.h"
#include "results/by_table.h"
#include "results/called.h"
#include "budget/pace.h"
#include "run/tables.h"
#include "tool.h"

struct ring_buffer;

/* Bytes of a ring buffer for what counts; its pages are memory that cannot be swapped. */
#define RUN_FEW_RECORDS (64 << 10)

/* Of cases since the last snapshot. */
struct run_measured {
	bool is_some;	/* there is a histogram of some */
	bool has_shown; /* one was as long as --min says */
	uint64_t longest_ns;
};

struct run {
	const struct tool *tool;
	const struct options *options;
	struct kernel kernel;
	struct loader *loader;
	struct attach_request request;
	struct breakpoints_request breakpoints;
	struct follow *follow;
	struct ids *ids;
	bool with_addresses;
	struct addresses *addresses;   /* NULL: they are not asked for */
	const enum tool_field *fields; /* of the columns that are shown */
	void *state;		       /* the tool's */
	uint64_t tick_ns;	       /* between random ticks, on average; 0: as the tool says */
	const char *chosen;	       /* glob of the probes of its programs that are wanted; NULL: all */
	bool with_terms;
	bool without_hist;
	const char *hist_title, *hist_unit;
	struct run_measured measured;
	__u32 generation;	     /* that is being read, while a snapshot is taken */
	struct counter_row *counter; /* of it */
	struct ring_buffer *ring;
	uint32_t most_keys;  /* with histograms of their own, set before run_load(); 0: HIST_MAX_KEYS */
	uint32_t ring_bytes; /* set before run_load() if records are few (RUN_FEW_RECORDS); 0: as its programs say */
	struct pace pace;
	struct sink_window window;	   /* of the present interval */
	uint64_t turn_from_ns, turn_to_ns; /* what run_take() reads was counted from then on, up to then */
	struct view view;
	struct called called; /* in the present interval; nothing without breakpoints of VMs */
	struct run_tables tables;
	struct by_table by_table; /* rows: none, if histograms are shown as they are */
	struct sink sink;
	uint64_t live_ns;  /* when the probes of the first target were all in place, 0: not yet */
	uint64_t since_ns; /* when the last snapshot was taken, 0: none was */
	uint64_t end_ns;   /* when they began to be taken away, 0 as long as it goes on */
	uint64_t wall_offset;
	uint64_t turn_end_ns;	/* until then records may be shown, before others have their turn; 0: all */
	struct erl_count *seen; /* counts at the last snapshot, by probe */
	struct erl_count *now;	/* counts at this one */
};

/*
 * In this order: run_open() of a zeroed struct whose sink and kernel are set, run_load(), follow_scan(). The tool and
 * the options must outlive it. 0 or -errno, explained. run_close() also of what failed.
 */
int run_open(struct run *run, const struct tool *tool, const struct options *options);
int run_load(struct run *run);
void run_close(struct run *run);

/* All that was counted since the last time goes to the sink. 0 or -errno, explained. */
int run_snapshot(struct run *run);

/* The same in two steps, for who reads several tools: turn all, kernel_quiesce() once, take all. */
int run_turn(struct run *run);
int run_take(struct run *run);

/* What becomes of probes that cost too much: what the user wants, or what is right for the tool. */
enum pace_mode run_pace_mode(const struct run *run);

/* Has its tool cases that take time? */
bool run_has_lengths(const struct run *run);

/* Hits of all probes into run->now. 0 or -errno. */
int run_counts(struct run *run);

/* Records of the ring, for about so long; 0: to the last. */
void run_consume(struct run *run, uint64_t limit_ns);

/* A histogram that is shown since the last snapshot: how long its cases are. */
void run_add_measured(struct run *run, const struct sink_hist *hist);

/* What the tool does when all records are read. 0 or -errno, explained. */
int run_finish(struct run *run);

#endif
