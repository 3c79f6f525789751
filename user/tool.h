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

#include "measure.h"
#include "options.h"
#include "out/sink.h"
#include "tally.h"

struct run;

#define TOOL_MAX_NOTES 8
#define TOOL_ARG(n) (1u << (n))
#define TOOL_ALL_ARGS ~0u
#define TOOL_MAX_COLUMNS 16
#define TOOL_COUNT(array) (sizeof(array) / sizeof(*(array)))

/* What a column shows of a case that was measured (struct measure_event of bpf/measure.h). */
enum tool_field {
	FIELD_PID,
	FIELD_NAME,
	FIELD_WHAT,		/* a column of text */
	FIELD_BEGAN,
	FIELD_ENDED,
	FIELD_TOOK,
	FIELD_THREAD,
	FIELD_KIND,		/* a column of text: see `kinds` */
	FIELD_FUNCTION,		/* a column of text */
	FIELD_AMOUNT_0,		/* signed columns */
	FIELD_AMOUNT_1,
	FIELD_AMOUNT_2,
	FIELD_ID_0,		/* amounts that are ids: columns of text */
	FIELD_ID_1,
	FIELD_ID_2,
};

struct tool {
	const char *name;
	const char *summary;		/* one line, for `erlbpf help` */
	const char *description;
	const char *examples;		/* lines of "# comment" and commands */
	unsigned int takes;		/* enum option_set */
	unsigned int args;		/* arguments that its programs read, a bit for each; TOOL_ALL_ARGS */
	const void *(*elf)(size_t *size);	/* the BPF object; the skeleton's X__elf_bytes */
	const struct column *columns;	/* of events, or of the table */
	size_t column_count;
	const struct column *table;	/* of the table of a tool that has events too: see run_columns() */
	size_t table_count;
	const enum tool_field *fields;	/* a tool that measures: one per column, instead of `event` */
	const char *const *kinds;	/* of cases, by their number */
	size_t kind_count;
	const char *without_states;	/* PROVIDER:PROBE needed only where states of processes cannot be read */
	const char *hist_title;		/* NULL: the tool measures nothing (measure.bpf.h, hist.bpf.h) */
	const char *hist_unit;
	bool is_both_ways;		/* a tool of operations whose bytes are received and sent ones */

	/* Before loading: set variables of the BPF file with run_set(), beside struct measure_config,
	 * which is set for all tools that measure. 0 or -errno. */
	int (*configure)(struct run *run);
	/* A record of the ring buffer; with `fields`, the hall shows it. It is the kernel's: copy nothing but what the sink needs. */
	void (*event)(struct run *run, const void *record, size_t size);
	/* At every interval and at the end, beside histograms: hand a table to the sink. */
	int (*snapshot)(struct run *run);
	/* At the end: accounts of the tool's own. Returns how many. Without a run, what they are: for the
	 * reference, which needs no counts. */
	size_t (*notes)(struct run *run, struct sink_note notes[TOOL_MAX_NOTES]);
};

/* For the tools, from run/. */
const struct options *run_options(const struct run *run);
const struct tool *run_its_tool(const struct run *run);
int run_set(struct run *run, const char *variable, const void *value, size_t size);
int run_map(const struct run *run, const char *name);	/* fd, or -ENOENT */
uint64_t run_wall_ns(const struct run *run, uint64_t monotonic_ns);
const char *run_node(const struct run *run, int os_pid);	/* "" if not known */

/*
 * What an id of bpf/erl.h stands for, hostile text: a pid, a port, an MFA, a function... "" for 0. Valid
 * for the length of the call from the hall.
 */
const char *run_id(struct run *run, int os_pid, uint64_t id);

/* The rows of bpf/tally.bpf.h, for snapshot(): see tallies_take(). Borrowed for the length of the call. */
int run_tally(struct run *run, const struct tally_row **rows, size_t *count);

/*
 * For tools of operations (bpf/operation.bpf.h): their configure(), their snapshot(), and the columns of
 * their table; with --by a key comes first, and the name of a process last.
 */
#define OPERATIONS_COLUMNS 5
#define OPERATIONS_BOTH_WAYS_COLUMNS 6
extern const struct column operations_columns[OPERATIONS_COLUMNS];
extern const struct column operations_both_ways_columns[OPERATIONS_BOTH_WAYS_COLUMNS];
int run_operations_configure(struct run *run);
int run_operations_key(struct run *run);	/* only what --by means to them */
int run_operations_snapshot(struct run *run);

/* A key of the result: run_id(), or the kind that the tool names when it is asked --by kind. */
const char *run_key(struct run *run, int os_pid, uint64_t id);

/*
 * Other columns than the tool's own, for the way it is asked; from configure(). They must live as long
 * as the run; `fields` may be NULL.
 */
void run_columns(struct run *run, const struct column *columns, const enum tool_field *fields, size_t count);

/*
 * Registered name or initial call of an Erlang process, hostile text; "" if it has none or is gone.
 * `buf` of RUN_NAME_SIZE; returns it or "".
 */
#define RUN_NAME_SIZE 320
const char *run_process_name(const struct run *run, int os_pid, uint64_t id, char *buf);

void run_event(struct run *run, const struct sink_event *event);
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
