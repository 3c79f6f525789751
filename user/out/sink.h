/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sinks: how what a tool found is shown. A tool says what its columns and histograms are; text, JSON
 * lines and CSV render them. Sinks borrow everything for the length of the call.
 */
#ifndef ERLBPF_OUT_SINK_H
#define ERLBPF_OUT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "out/format.h"

enum column_type {
	COLUMN_TEXT, /* hostile: made safe by the sink */
	COLUMN_NUMBER,
	COLUMN_SIGNED,
	COLUMN_TIME,	 /* nanoseconds since 1970 */
	COLUMN_DURATION, /* nanoseconds */
	COLUMN_PID,	 /* Erlang pid or port, one word */
	COLUMN_DECIMAL,	 /* in thousandths; text shows one decimal */
};

#define COLUMN_NOT_IN_TEXT (-10000) /* as a width */

/* How a column is on the screen (screen.h), where it differs from text. */
struct column_screen {
	int width;	      /* 0: as in text */
	unsigned char rank;   /* 0: always shown; else those of high rank are left out first where it is narrow */
	bool is_human;	      /* a number as 12.3k, 4.5M */
	bool is_bytes;	      /* the same in steps of 1,024 */
	uint64_t warn, alarm; /* from so much on it is coloured; 0: never */
};

struct column {
	const char *name; /* JSON key; as title in text it is in capitals */
	enum column_type type;
	int width;	    /* in text; negative: left-aligned; 0: as it comes */
	bool only_text;	    /* events have it in JSON and CSV anyway */
	const char *unit;   /* of a number, "words"; NULL: none, or the type says it */
	const char *metric; /* a number or duration that may be added up: its name as a metric, "dist-packets" */
	struct column_screen screen;
};

struct value {
	bool is_null;
	bool is_at_least; /* in text with a >= */
	bool is_below;	  /* less than the number, which is a resolution: in text with a <, else null */
	int os_id;	  /* of a node's name: whose it is (erl_os_id()), as several may have the same; 0: nobody's */
	union {
		uint64_t number;
		int64_t signed_number;
		const char *text;
	};
};

/* "": not known. The text stays the caller's. */
static inline struct value value_of_text(const char *text)
{
	return (struct value){ .text = text, .is_null = !*text };
}

struct sink_event {
	const char *probe;
	uint64_t time_ns;	    /* since 1970 */
	int os_id;		    /* whose: erl_os_id() of erl.h; sinks show the pid */
	const char *node;	    /* "" if it has none */
	const struct value *values; /* one per column of the tool */
};

struct sink_note {
	const char *name; /* JSON key */
	const char *text; /* for people, NULL: not for them */
	const char *one;  /* the same of a single one; NULL: `text` */
	uint64_t count;
	bool is_loss; /* of data: counts for --strict */
};

struct sink_hist {
	const char *title;
	const char *unit; /* "ns" is shown in the unit that -m asks for */
	const char *key;  /* NULL: all */
	const char *name; /* of the process that is the key, hostile; NULL or "": none */
	const char *node; /* whose key, NULL: of no one node */
	int os_id;
	bool is_waiting; /* of what has not ended, for how long at least: not of the same as the tool's other histograms
			  */
	uint64_t count, sum, min, max;
	uint64_t resolution_ns;	       /* a slot begins there; what is below is not told apart. 0: all is */
	uint64_t unmeasured;	       /* more cases, whose value is not known: only tables of histograms count them */
	const uint64_t *slots;	       /* HIST_SLOTS of bpf/hist.h */
	const struct sink_note *apart; /* cases that are not in the histogram; NULL: there is no such kind */
};

/* More about what a table is of, which only JSON has: an object, or a list of them. */
struct sink_part {
	const char *name; /* JSON key */
	const struct column *columns;
	size_t column_count;
	const struct value *cells;
	size_t rows;
	bool is_list;
};

struct panel;

/* Rows with the columns of the tool, such as counts per probe. */
struct sink_table {
	const struct value *cells; /* row after row */
	size_t rows;
	const struct sink_note *notes; /* about the table as a whole */
	size_t note_count;
	const char *node; /* whose table, "" if it has no name; NULL: of no one node. Only JSON has it, and the parts */
	const struct sink_part *parts;
	size_t part_count;
	const struct panel *panel; /* for the screen; NULL: none */
};

struct sink_probe {
	const char *name;
	uint64_t events, lost;
};

struct sink_missing {
	const char *probe;
	bool whole;
	const char *why;
};

struct sink_target {
	int os_pid;
	const char *node;
	int otp;
	const char *source;
	const char *refused; /* why it is not traced, NULL: it is */
	const struct sink_missing *missing;
	size_t missing_count;
};

struct sink_summary {
	uint64_t events, lost;
	const struct sink_probe *probes;
	size_t probe_count;
	const struct sink_target *targets;
	size_t target_count;
	const struct sink_note *notes; /* the tool's own accounts */
	size_t note_count;
	uint64_t began_ns; /* since 1970: when the probes were attached */
	double duration_s;
	double watched_s; /* for so long of it, the probes were on */
	uint64_t cost_ns; /* of all hits, for the nodes */
};

/* How much of the time was watched that the next results are of: an interval, or all. */
struct sink_window {
	bool is_part; /* not all of it: numbers are of the time that was watched */
	double watched_s, of_s;
	unsigned int windows; /* of the sample */
	unsigned int cut;     /* of these, that a burst cut short */
	double slowdown;      /* the nodes ran so many times slower while they were watched; 0 or 1: not at all */
	uint64_t seen;	      /* results, in all keys and rows together */
	bool has_rate;	      /* there were enough windows for a rate of these, per second, with a 95 % interval */
	double rate, rate_low, rate_high;
};

struct sink_setup {
	FILE *to;
	const char *tool;
	const struct column *columns;
	size_t column_count;
	bool show_time;	   /* -T */
	bool milliseconds; /* -m */
};

struct sink;

struct sink_ops {
	void (*interval)(struct sink *sink, uint64_t time_ns); /* what follows is of one interval */
	void (*event)(struct sink *sink, const struct sink_event *event);
	void (*hist)(struct sink *sink, const struct sink_hist *hist);
	void (*table)(struct sink *sink, const struct sink_table *table);
	void (*summary)(struct sink *sink, const struct sink_summary *summary);
	/* Instead of an empty histogram or table: a sentence for people, hostile. NULL: these are shown as they are. */
	void (*nothing)(struct sink *sink, const char *sentence);
};

struct sink {
	const struct sink_ops *ops;
	struct sink_setup setup;
	struct sink_window window; /* of what is shown next */
	bool has_begun;		   /* a header, or "schema", was written */
	bool has_events;	   /* of CSV: the one table of the file is theirs */
	bool has_tables;	   /* the same of tables */
	bool has_answer;	   /* something was shown since the last snapshot, of sinks with nothing() */
	bool has_told_window;	   /* `window` was shown since the last snapshot */
};

/* The sink; setup's pointers must outlive it. */
void sink_init(struct sink *sink, enum sink_format format, const struct sink_setup *setup);

/* One per file. */
extern const struct sink_ops sink_text, sink_json, sink_csv, sink_screen;

#endif
