/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of top share: top.c takes what nodes do, top_table.c makes rows of it, and top_screen.c the header and
 * the pages that a screen has beside them.
 */
#ifndef ERLBPF_TOOLS_TOP_PARTS_H
#define ERLBPF_TOOLS_TOP_PARTS_H

#include "top.h"

#include "node/processes/processes.h"
#include "node/processes/running.h"
#include "node/processes/schedulers.h"
#include "out/panel.h"
#include "tool.h"

enum top_column {
	PID,
	NAME,
	CPU,
	REDS,
	QUEUE,
	IN,
	OUT,
	WAIT,
	GC,
	HEAP,
	STATUS,
	NODE,
	OS_PID,
	REGISTERED,
	INITIAL_CALL,
	GCS,
	TOTAL_REDS,
	BINARIES,
	COLUMNS,
};

extern const struct column top_columns[COLUMNS];

/* What a process has done, beside what struct process says of it. */
struct activity {
	uint64_t id;		  /* whose it is */
	struct top_counts counts; /* at the end of the interval */
	/* In the interval, as far as probes were on; or in the last one in which they were. */
	uint32_t sent, received, collections;
	uint64_t waited_ns, collecting_ns;
	uint32_t hits; /* of samples, in the interval */
};

struct traced_node {
	struct run_target target;
	struct processes *processes; /* NULL: they cannot be read */
	struct schedulers *schedulers;
	struct activity *activities; /* by row of a process */
	size_t room;
	struct running samples;
	double hits_per_red; /* of all processes in the interval */
	uint64_t *sample;    /* processes that run */
};

/* Rows that are shown together, under one title. */
struct top_group {
	size_t head;   /* row of the process that they are below; SIZE_MAX: there is none */
	size_t node;   /* its number */
	double weight; /* sum of what rows are sorted by */
	size_t processes;
	uint64_t reds, heap, queue; /* sums */
	uint64_t rank;		    /* its place among the groups */
	char *title;		    /* NULL: not made yet */
};

struct top_groups {
	struct top_group *list;
	size_t count;
	uint32_t *of_row; /* number of its group plus one, by row; 0: none */
	size_t rows;
};

/* One table. */
struct top {
	struct traced_node *nodes;
	size_t node_count;
	struct top_key *suspects; /* accounts of processes that were not found */
	size_t suspect_count;
	uint64_t taken_ns; /* when the last interval ended */
	uint64_t interval_ns;
	uint64_t on_before_ns;	/* for which probes had been on then */
	uint64_t on_ns;		/* in this interval, or in the last one in which they were */
	uint64_t on_now_ns;	/* in this one */
	uint64_t gone;		/* hits of processes that have ended */
	uint32_t rounds;	/* samples of each scheduler in the interval */
	uint32_t rounds_now;	/* and in the one that goes on */
	struct panel_bar *bars; /* of the schedulers, in the interval */
	size_t bar_count;
	uint64_t busy, collecting; /* samples of schedulers */
	uint64_t cost_ns;	   /* processor time of one, on average */
	uint64_t live, dropped;
	struct top_watched watched;	    /* whose page is open; id 0: no one's */
	uint64_t watched_ns, watched_on_ns; /* since when, and for how long probes had been on then */
	struct top_groups groups;	    /* as the view has them, if it does */
};

static inline bool top_is_readable(const struct traced_node *node)
{
	return node->sample && !node->target.is_over;
}

static inline struct activity *top_activity(struct traced_node *node, const struct process *process)
{
	return &node->activities[process - processes_row(node->processes, 0)];
}

/* Reductions of the interval; fewer than before are those of a process that is new in its row. */
static inline uint64_t top_reds(const struct process *process)
{
	return process->reds > process->reds_before ? process->reds - process->reds_before : 0;
}

/* The rows of all nodes, one after the other. False: it is of no process. */
bool top_find_row(const struct top *top, size_t row, struct traced_node **node, struct process **process);

/* The node that is readable, NULL: there is none of that id. */
struct traced_node *top_node(const struct top *top, uint32_t os_id);

/* What was seen of a process while probes were on, for the whole interval. */
struct value top_seen(const struct top *top, uint64_t seen);

/* A cell of a row; a text may be in buf. */
struct value top_cell(struct run *run, size_t row, size_t column, char buf[VIEW_TEXT_SIZE]);

/* As the view groups rows, from what was read last. 0 or -ENOMEM: they are not grouped. */
int top_groups_make(struct run *run);
void top_groups_free(struct top_groups *groups);

/* Of the group of a row: its place among the groups, and its title, which is the same pointer for all of it. */
uint64_t top_group_rank(void *run, size_t row);
const char *top_group_title(struct run *run, size_t row);

/* From now on, look at the messages of that process; NULL: of none. */
void top_watch(struct run *run, const struct view_key *key);

/* What has been seen of them, for its page. */
void top_watch_lines(struct run *run, struct processes *processes, const struct process *process,
		     struct panel_line *lines, size_t *count);

/* Were probes on for the whole interval? */
bool top_is_exact(const struct top *top);

/* Of a table with `rows` and `panel`, whose rows these are. */
void top_show_table(struct run *run, const size_t *rows, struct sink_table *table);

/* Names of all processes, for who sorts, filters or groups by them. */
void top_read_names(const struct top *top);

/*
 * The rows that the view asks for: how many there are, also of those before the first one. `group` is for view_pick(),
 * whose data is the run; NULL: they are not grouped. Frees nothing; -errno.
 */
long top_pick(struct run *run, uint64_t (*group)(void *data, size_t row), size_t **rows, size_t *matching);

size_t top_table_notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES]);

/* The table, or the page of a process, as the view asks for it. */
void top_show(struct run *run);

#endif
