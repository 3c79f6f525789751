/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tool: one question, and all that the hall must know to ask it. The tool's BPF file is wired to
 * probes by its section names; the tool itself says what its records and histograms mean and hands
 * them to a sink. It prints nothing and knows no other tool. docs/adding-a-tool.md shows how.
 */
#ifndef ERLBPF_TOOL_H
#define ERLBPF_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"
#include "measure.h"
#include "options.h"
#include "out/sink.h"
#include "tally.h"

struct run;
struct target;
struct term_snapshot;
struct view;

#define TOOL_MAX_NOTES 8
#define TOOL_ARG(n) (1u << (n))
#define TOOL_ALL_ARGS ~0u
#define TOOL_MAX_COLUMNS 16
#define TOOL_COUNT(array) (sizeof(array) / sizeof(*(array)))

/* What a column shows of a case that was measured (struct measure_event of bpf/measure.h). */
enum tool_field {
	FIELD_PID,
	FIELD_NAME,
	FIELD_WHAT, /* a column of text */
	FIELD_BEGAN,
	FIELD_ENDED,
	FIELD_TOOK,
	FIELD_THREAD,
	FIELD_KIND,	/* a column of text: see `kinds` */
	FIELD_FUNCTION, /* a column of text */
	FIELD_AMOUNT_0, /* signed columns */
	FIELD_AMOUNT_1,
	FIELD_AMOUNT_2,
	FIELD_AMOUNT_3,
	FIELD_ID_0, /* the amounts once more, as ids: columns of text */
	FIELD_ID_1,
	FIELD_ID_2,
};

struct tool {
	const char *name;
	const char *summary; /* one line, for `erlbpf help` */
	const char *description;
	const char *examples;		  /* lines of "# comment" and commands */
	unsigned int takes;		  /* enum option_set */
	unsigned int args;		  /* arguments that its programs read, a bit for each; TOOL_ALL_ARGS */
	const void *(*elf)(size_t *size); /* the BPF object; the skeleton's X__elf_bytes */
	const struct column *columns;	  /* of events, or of the table */
	size_t column_count;
	const struct column *table_columns; /* of the table, if `columns` are those of events */
	size_t table_column_count;
	const struct column *show_columns; /* of what --show prints, if these are others; all: run_columns() */
	size_t show_column_count;
	const enum tool_field *fields; /* a tool that measures: one per column, instead of `event` */
	const char *const *kinds;      /* of cases, by their number */
	size_t kind_count;
	const char *with_min;	    /* PROVIDER:PROBE needed only with --min, blanks between several */
	bool with_terms;	    /* functions that are given terms are probed rather than notes */
	const char *glob;	    /* of its probes, where the user may choose some and has not; NULL: all */
	const char *optional;	    /* PROVIDER:PROBE that it does without, blanks between several */
	const char *open;	    /* map of cases that have not ended, first in each value; shown at the end */
	const char *without_states; /* PROVIDER:PROBE needed only where states of processes cannot be read */
	const char *hist_title;	    /* NULL: the tool measures nothing (measure.bpf.h, hist.bpf.h) */
	const char *hist_unit;
	const char *metric; /* what its histogram is called as a metric, "mailbox-wait"; NULL: as the tool */
	bool is_both_ways;  /* a tool of operations whose bytes are received and sent ones */

	const char *sort;     /* column by which a large table is ordered first; NULL: no view of it */
	uint64_t interval_ns; /* if the user names none; 0: print at the end only */
	uint64_t tick_ns;     /* how often to call tick() */
	bool is_paced;	      /* its programs include paced.bpf.h: see user/run/pace.h */

	/* Before loading: set variables of the BPF file with run_set(), beside struct measure_config,
	 * which is set for all tools that measure. 0 or -errno. */
	int (*configure)(struct run *run);
	/* When all probes are live. */
	void (*begin)(struct run *run);
	/* A record of the ring buffer; with `fields`, the hall shows it. It is the kernel's: copy nothing but
	 * what the sink needs. */
	void (*event)(struct run *run, const void *record, size_t size);
	/* At every interval and at the end, beside histograms: hand a table to the sink. */
	int (*snapshot)(struct run *run);
	/* Numbers about its table as a whole, which it is shown with; the reference asks for their names. */
	size_t (*table_notes)(struct sink_note notes[TOOL_MAX_NOTES]);
	/* The table of the last snapshot once more: something else of it is wanted, see run_view(). */
	void (*show)(struct run *run);
	void (*tick)(struct run *run);
	/* Free what it has made. */
	void (*end)(struct run *run);
	/* At the end: accounts of the tool's own. Returns how many. Without a run, what they are: for the
	 * reference, which needs no counts. */
	size_t (*notes)(struct run *run, struct sink_note notes[TOOL_MAX_NOTES]);
};

/* For the tools, from run/. */
const struct options *run_options(const struct run *run);
const struct tool *run_its_tool(const struct run *run);
int run_set(struct run *run, const char *variable, const void *value, size_t size);
int run_map(const struct run *run, const char *name); /* fd, or -ENOENT */
uint64_t run_wall_ns(const struct run *run, uint64_t monotonic_ns);
const char *run_node(const struct run *run, int os_pid); /* "" if not known */

/*
 * What an id of bpf/erl.h stands for, hostile text: a pid, a port, an MFA, a function... "" for 0. Valid
 * for the length of the call from the hall.
 */
const char *run_id(struct run *run, int os_pid, uint64_t id);

/* The rows of bpf/tally.bpf.h, for snapshot(): see tallies_take(). Borrowed for the length of the call. */
int run_tally(struct run *run, const struct tally_row **rows, size_t *count);

/* The same as a table: `fill` makes the cells of a row, of which there are `columns`. 0 or -errno. */
int run_tally_table(struct run *run, size_t columns,
		    void (*fill)(struct run *run, const struct tally_row *row, struct value *cells));

/*
 * For tools of operations (bpf/operation.bpf.h): their configure(), their snapshot(), and the columns of
 * their table; with --by a key comes first, and the name of a process last.
 */
#define OPERATIONS_COLUMNS 5
#define OPERATIONS_BOTH_WAYS_COLUMNS 6
extern const struct column operations_columns[OPERATIONS_COLUMNS];
extern const struct column operations_both_ways_columns[OPERATIONS_BOTH_WAYS_COLUMNS];
int run_operations_configure(struct run *run);
int run_operations_key(struct run *run); /* only what --by means to them */
int run_operations_snapshot(struct run *run);

/* A key of the result: run_id(), or the kind that the tool names when it is asked --by kind. */
const char *run_key(struct run *run, int os_pid, uint64_t id);

/*
 * Other columns than the tool's own, for the way it is asked; from configure(). They must live as long
 * as the run; `fields` may be NULL.
 */
void run_columns(struct run *run, const struct column *columns, const enum tool_field *fields, size_t count);

/* No histogram is asked for, though the tool has one; from configure(). */
void run_without_hist(struct run *run);

/* What the histogram is of, if not what the tool says; from configure(). They must live as long. */
void run_measures(struct run *run, const char *title, const char *unit);

/*
 * Registered name or initial call of an Erlang process, hostile text; "" if it has none or is gone.
 * `buf` of RUN_NAME_SIZE; returns it or "".
 */
#define RUN_NAME_SIZE 320
const char *run_process_name(const struct run *run, int os_pid, uint64_t id, char *buf);

/*
 * The same where the kernel has caught the name (bpf/name.bpf.h): a registered name as it was then; else
 * the name that it has now, which may be a label, if it lives; else what it was spawned with.
 */
const char *run_name(struct run *run, int os_pid, uint64_t id, uint64_t caught, char *buf);

/*
 * A term that the kernel took (bpf/term.bpf.h), as its node prints it: hostile text in `buf`, cut with
 * "..." where there was more. Returns buf.
 */
const char *run_term(struct run *run, int os_pid, const struct term_snapshot *snapshot, char *buf, size_t size);

/* A node that is traced, for tools that read its memory. It is valid until the tool's end(). */
struct run_target {
	int os_pid;
	const struct target *target;
	const struct erl_pid_layout *pids;
	bool is_over;
};

/* Nodes that are traced, or were; one keeps its number. */
size_t run_targets(const struct run *run);
struct run_target run_target(const struct run *run, size_t i);

/* What of a large table is to be shown. */
const struct view *run_view(const struct run *run);

/* Up to when the present snapshot reaches: now, or when the probes were taken away at the end. */
uint64_t run_reached_ns(const struct run *run);

/* For how long the probes of a paced tool have been on until then. */
uint64_t run_on_ns(const struct run *run, uint64_t reached_ns);

/* Every entry of a hash map. `visit` returns true for those to delete. 0 or -errno. */
int run_each(const struct run *run, const char *map, bool (*visit)(void *data, const void *key, const void *value),
	     void *data);

void run_event(struct run *run, const struct sink_event *event);
void run_hist(struct run *run, const struct sink_hist *hist);
void run_table(struct run *run, const struct sink_table *table);

/* Hits of a probe since the last snapshot or the start. 0, or -errno. */
int run_hits(struct run *run, uint32_t probe, uint64_t *events, uint64_t *lost);

/*
 * The accounts that bpf/fate.bpf.h keeps, in the order of the tool's enum: `fates` says what each is.
 * Returns their number, for notes().
 */
size_t run_fates(const struct run *run, const struct sink_note *fates, size_t count,
		 struct sink_note notes[TOOL_MAX_NOTES]);

/* Sum over all CPUs of entry `index` of a per-CPU array of 64-bit counters; 0 without a run. */
uint64_t run_sum(const struct run *run, const char *map, uint32_t index);

extern const struct tool *const tools[];
extern const size_t tools_count;

#endif
