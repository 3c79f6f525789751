/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tool: one question, and all that must be known to ask it. The tool's BPF file is wired to
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
#include "counter.h"

struct run;
struct target;
struct term_snapshot;
struct view;
struct name_style;

#define RUN_NAME_SIZE 320 /* bytes of a name of a process */
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
	FIELD_SCHEDULER, /* a column of text */
	FIELD_KIND,	 /* a column of text: see `kinds` */
	FIELD_FUNCTION,	 /* a column of text */
	FIELD_AMOUNT_0,	 /* signed columns */
	FIELD_AMOUNT_1,
	FIELD_AMOUNT_2,
	FIELD_AMOUNT_3,
	FIELD_ID_0, /* the amounts once more, as ids: columns of text */
	FIELD_ID_1,
	FIELD_ID_2,
	FIELD_LOCAL, /* addresses of the socket that OPERATION_THING is: columns of text */
	FIELD_PEER,
};

/* Columns, and what those of a case that was measured show: `fields` has one per column, or is NULL. */
struct tool_columns {
	const struct column *list;
	size_t count;
	const enum tool_field *fields;
};

/* Columns of something else that the tool may print. */
struct tool_other_columns {
	const char *of; /* "the table" */
	const struct column *list;
	size_t count;
};

struct tool_kinds {
	const char *const *names; /* by number */
	size_t count;
};

/* What a tool measures with measure.bpf.h or hist.bpf.h. */
struct tool_histogram {
	const char *title;
	const char *unit;
	const char *metric;	      /* its name as a metric, "mailbox-wait"; NULL: that of the tool */
	const struct sink_note *zero; /* what values of 0 are, which are counted apart; NULL: values as any other */
	bool is_of_calls;	      /* from a function's entry to its return: what that adds is the resolution */
	bool counts_ends;	      /* of cases that end in a window, whenever they began */
};

/* When a probe is needed that is not needed always. */
enum tool_need {
	NEEDED_NEVER,	       /* a VM that lacks it is served all the same */
	NEEDED_WITH_MIN,       /* else it is not attached */
	NEEDED_WITHOUT_STATES, /* only where states of processes cannot be read */
	NEEDED_INSTEAD,	       /* only where the VM has no other probe, whose program is further down */
};

struct tool_probe {
	const char *name; /* PROVIDER:PROBE */
	enum tool_need need;
	const char *other;   /* of NEEDED_INSTEAD */
	const char *without; /* of NEEDED_NEVER: what a VM that lacks it does not show, a sentence; NULL: nothing that
				matters */
};

/* From a random tick: from now on so often on average. */
void run_tick_every(struct run *run, uint64_t mean_ns);

/* A large table that people sort and filter, on the screen if there is one: see run_view(). */
struct tool_view {
	const char *sort;	       /* column by which it is ordered first */
	uint64_t interval_ns;	       /* if the user names none */
	void (*show)(struct run *run); /* the table of the last snapshot once more: something else of it is wanted */
};

struct tool_tick {
	void (*call)(struct run *run);
	uint64_t every_ns;
	bool is_random; /* so often on average, at random times: for who samples; see run_tick_every() */
};

struct tool {
	const char *name;
	const char *summary; /* one line, for `erlbpf help` */
	const char *description;
	const char
		*nothing; /* what there was none of if its answer is empty: "no message was received"; NULL: no word */
	const char *instead;		  /* what to try then: a clause; NULL: what any tool says */
	const char *examples;		  /* lines of "# comment" and commands */
	unsigned int takes;		  /* enum option_set */
	unsigned int args;		  /* arguments that its programs read, a bit for each; TOOL_ALL_ARGS */
	const void *(*elf)(size_t *size); /* the BPF object; the skeleton's X__elf_bytes */
	struct tool_columns columns;	  /* of events, or of the table; with fields, there is no event() */
	const struct tool_other_columns
		*other_columns; /* for the reference, up to one without a name; see run_columns() */
	struct tool_kinds kinds;
	const struct tool_histogram *hist; /* NULL: none */
	bool hands_hists; /* its snapshot makes histograms by key itself, run_hist(); its programs have none */
	const struct tool_probe *not_always; /* probes that are not needed always, up to one without a name */
	const char *details;		     /* what those NEEDED_WITH_MIN do, which may be away: a clause */
	const struct tool_view *view;	     /* NULL: its table is small */
	struct tool_tick tick;		     /* how often to do what; for nothing, empty */
	const struct tool *via_vm;	     /* what it becomes with --via vm; NULL: it does not take that */
	const struct tool *of_entries;	     /* the same with --entry */
	enum option_set export_by;	     /* key of its series as metrics; 0: by what it takes */
	const struct tool *of_names; /* what it becomes for names of an application's probes, app:NAME; NULL: nothing */
	size_t state_size;	     /* of what a run of it keeps: see run_state() */

	/* Before loading: set variables of the BPF file with run_set(), beside struct measure_config,
	 * which is set for all tools that measure. 0 or -errno. */
	int (*configure)(struct run *run);
	/* When all probes are live. */
	void (*begin)(struct run *run);
	/* A record of the ring buffer. It is the kernel's: copy nothing but what the sink needs. */
	void (*event)(struct run *run, const void *record, size_t size);
	/* At every interval and at the end, beside histograms: hand a table to the sink. */
	int (*snapshot)(struct run *run);
	/* When the probes are gone and all records are read, before the last snapshot. 0 or -errno. */
	int (*finish)(struct run *run);
	/* Free what its state holds. */
	void (*end)(struct run *run);
	/* Numbers about its table as a whole, which it is shown with. Without a run, what they are: for the
	 * reference, which needs no counts. */
	size_t (*table_notes)(struct run *run, struct sink_note notes[TOOL_MAX_NOTES]);
	/* At the end: accounts of the tool's own, each with words for one. Returns how many. The same without a run. */
	size_t (*notes)(struct run *run, struct sink_note notes[TOOL_MAX_NOTES]);
};

/* For the tools, from run/. */
const struct options *run_options(const struct run *run);
const struct tool *run_its_tool(const struct run *run);

/* What this run of the tool keeps: zeroed at first, its own, `state_size` bytes. */
void *run_state(const struct run *run);

int run_set(struct run *run, const char *variable, const void *value, size_t size);
int run_map(const struct run *run, const char *name); /* fd, or -ENOENT */
uint64_t run_wall_ns(const struct run *run, uint64_t monotonic_ns);
/* Processes of the system are called as in records of programs: erl_os_id() of erl.h. */

const char *run_node(const struct run *run, int os_id); /* "" if not known */

/*
 * What an id of bpf/erl.h stands for, hostile text: a pid, a port, an MFA, a function... "" for 0. Valid
 * for the length of the call from run/.
 */
const char *run_id(struct run *run, int os_id, uint64_t id);

/* The rows of bpf/counter.bpf.h, for snapshot(): see counters_take(). Borrowed for the length of the call. */
int run_counter(struct run *run, const struct counter_row **rows, size_t *count);

/* The same as a table: `fill` makes the cells of a row, of which there are `columns`. 0 or -errno. */
int run_counter_table(struct run *run, size_t columns,
		      void (*fill)(struct run *run, const struct counter_row *row, struct value *cells));

/*
 * The same in an order, of which the first rows are shown: all, or as many as --rows says or people read; a note says
 * how many are left out, see run_rows_notes(). `name` is room for a text of this row alone. 0 or -errno.
 */
int run_counter_rows(struct run *run, size_t columns, int (*compare)(const void *a, const void *b),
		     void (*fill)(struct run *run, const struct counter_row *row, struct value *cells,
				  char name[RUN_NAME_SIZE]));

/* What such a table may say: the table_notes() of its tool. */
size_t run_rows_notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES]);

/*
 * For tools of operations (bpf/operation.bpf.h): their configure(), their snapshot(), and the columns of
 * their table, which say whether bytes that are received and sent are told apart; with --by a key comes first,
 * and the name of a process last.
 */
extern const struct tool_other_columns operations_columns[];
extern const struct tool_other_columns operations_both_ways_columns[];
int run_operations_configure(struct run *run);
int run_operations_key(struct run *run); /* only what --by means to them */
int run_operations_snapshot(struct run *run);

/* A key of the result: run_id(), or the kind that the tool names when it is asked --by kind. */
const char *run_key(struct run *run, int os_id, uint64_t id);

/*
 * Other columns than the tool's own, for the way it is asked; from configure(). They must live as long
 * as the run; `fields` may be NULL.
 */
void run_columns(struct run *run, const struct column *columns, const enum tool_field *fields, size_t count);

/* The same of a table that it draws, whose rows people may sort and limit. */
void run_table_columns(struct run *run, const struct column *columns, size_t count);

/* Which table that is, if neither its own columns nor those of run_table_columns() are; NULL: none. From configure().
 */
void run_draws(struct run *run, const struct column *columns, size_t count);

/* Of the probes that its programs are for, only those that the glob chooses; from configure(). It must live as long. */
void run_choose_probes(struct run *run, const char *glob);

/*
 * Its results are by socket, and shown with the addresses of these: the map sockets_open of its programs has their fds
 * (bpf/sockets.h). From configure(). The other one is for its tick: new ones are looked up before they are closed.
 */
void run_with_addresses(struct run *run);
void run_look_up_addresses(struct run *run);

/* What is known of the socket, hostile texts, valid for the length of the call from run/; "" for what is not known. */
struct run_addresses {
	const char *both; /* "127.0.0.1:80 <- 127.0.0.1:50000" */
	const char *local, *peer;
};

struct run_addresses run_socket_addresses(const struct run *run, int os_id, uint64_t id);

/* Functions that are given terms are probed rather than notes, as with --show; from configure(). */
void run_with_terms(struct run *run);

/* No histogram is asked for, though the tool has one; from configure(). */
void run_without_hist(struct run *run);

/* What the histogram is of, if not what the tool says; from configure(). They must live as long. */
void run_measures(struct run *run, const char *title, const char *unit);

/*
 * Registered name or initial call of an Erlang process, hostile text; "" if it has none or is gone.
 * `buf` of RUN_NAME_SIZE; returns it or "".
 */
const char *run_process_name(const struct run *run, int os_id, uint64_t id, char *buf);

/*
 * The same where the kernel has caught the name (bpf/name.bpf.h): a registered name as it was then; else
 * the name that it has now, which may be a label, if it lives; else what it was spawned with.
 */
const char *run_name(struct run *run, int os_id, uint64_t id, uint64_t caught, char *buf);

/*
 * A term that the kernel took (bpf/term.bpf.h), as its node prints it: hostile text in `buf`, cut with
 * "..." where there was more. Returns buf.
 */
const char *run_term(struct run *run, int os_id, const struct term_snapshot *snapshot, char *buf, size_t size);

/* A node that is traced, for tools that read its memory. */
struct run_target {
	int os_id;
	uint64_t serial; /* no other has the same, not even after it */
	const struct target *target;
	const struct erl_pid_layout *pids;
	bool is_over;
};

/*
 * Nodes that are traced, or were, in order of their serial numbers. The agent forgets those that have ended, between
 * two snapshots: what a tool keeps of a node that is not among them any more is to be let go, without a look at it.
 */
size_t run_targets(const struct run *run);
struct run_target run_target(const struct run *run, size_t i);

/* How names are shown, for tools that read them themselves. */
struct name_style run_name_style(const struct run *run);

/* What of a large table is to be shown. */
const struct view *run_view(const struct run *run);

/* Up to when the present snapshot reaches: now, or when the probes were taken away at the end. */
uint64_t run_reached_ns(const struct run *run);

/* For how long the probes of a paced tool have been on until then. */
uint64_t run_on_ns(const struct run *run, uint64_t reached_ns);

/*
 * Since when they have been on without a gap, up to that time. 0: since the trace began. UINT64_MAX: they are away.
 */
uint64_t run_whole_since(const struct run *run);

/* Every entry of a hash map. `visit` returns true for those to delete. 0 or -errno. */
int run_each(const struct run *run, const char *map, bool (*visit)(void *data, const void *key, const void *value),
	     void *data);

/* The value of a key in a map of its programs, one for all CPUs. 0 or -errno. */
int run_get(const struct run *run, const char *map, const void *key, void *value);
int run_put(const struct run *run, const char *map, const void *key, const void *value);

/*
 * Cases that have begun and not ended are not lost: they are shown with the time that they have taken so far.
 * They are in a map whose values begin with a struct measure_event. Not those that began before the probes were away
 * for a while. From finish(); 0 or -errno.
 */
int run_show_open(struct run *run, const char *map);

void run_event(struct run *run, const struct sink_event *event);
void run_hist(struct run *run, const struct sink_hist *hist);
void run_table(struct run *run, const struct sink_table *table);

/* Hits of a probe since the last snapshot or the start. 0, or -errno. */
int run_hits(struct run *run, uint32_t probe, uint64_t *events, uint64_t *lost);

/*
 * The accounts that bpf/account.bpf.h keeps, in the order of the tool's enum: `accounts` says what each is.
 * Returns their number, for notes().
 */
size_t run_accounts(const struct run *run, const struct sink_note *accounts, size_t count,
		    struct sink_note notes[TOOL_MAX_NOTES]);

/*
 * How often Erlang functions under breakpoints of the VM were called in all: so many as programs have looked at, or, if
 * they were on only part of the time, as the VM has counted.
 */
uint64_t run_called(const struct run *run, uint64_t looked);

/* Sum over all CPUs of entry `index` of a per-CPU array of 64-bit counters; 0 without a run. */
uint64_t run_sum(const struct run *run, const char *map, uint32_t index);

/* What calls becomes with --via vm, in a file of its own, and what it prints then. */
extern const struct tool tool_functions;
extern const struct tool_other_columns functions_columns[];

/* The same where only the beginnings of calls are asked for. */
extern const struct tool tool_entries;

/* What trace and count become for app:NAME. */
extern const struct tool tool_app;

extern const struct tool *const tools[];
extern const size_t tools_count;

#endif
