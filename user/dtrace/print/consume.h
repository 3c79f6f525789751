/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The consumer: what records and aggregations look like when they are printed, to the column as dtrace(1)
 * prints them. It knows nothing of BPF: records come as bytes, aggregations through a callback.
 */
#ifndef ERLBPF_DTRACE_PRINT_CONSUME_H
#define ERLBPF_DTRACE_PRINT_CONSUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "d.h"
#include "d/lang/unit.h"
#include "dtrace/provider/names.h"

struct consumer;
struct term_snapshot;

/* One key of an aggregation, its values summed over the CPUs. */
struct agg_entry {
	const void *key;       /* of the aggregation's keys */
	const uint64_t *words; /* see d/agg.h */
};

/* What the consumer wants of whoever runs the program. */
struct consumer_ops {
	/* The probe of a record: by its numbers. Never NULL. */
	const struct probe_names *(*probe)(void *data, uint32_t probe, uint32_t function, uint32_t os_id);
	/* Every key of an aggregation, now. 0 or -errno. */
	int (*each)(void *data, const struct unit_agg *agg, int (*visit)(void *to, const struct agg_entry *entry),
		    void *to);
	/* clear(): all values to zero, keys stay. trunc() of a key: it is gone. 0 or -errno. */
	int (*clear)(void *data, const struct unit_agg *agg);
	int (*remove)(void *data, const struct unit_agg *agg, const void *key);
	/* Text of an address: "libc.so.6`malloc+0x12", "erts`foo:bar/1+0x40", or its number. As `symbol` says. */
	void (*symbol)(void *data, uint32_t os_id, uint64_t address, enum field_symbol symbol, char *buf, size_t size);
	/* A term of a record (struct term_snapshot) as text. */
	void (*term)(void *data, uint32_t os_id, const struct term_snapshot *snapshot, char *buf, size_t size);
	/* exit(): the program is to end with that status. */
	void (*exit)(void *data, int status);
	/* setopt(); value NULL: none was given. Gives NULL, or why it is not set. */
	const char *(*setopt)(void *data, const char *name, const char *value);
	/* All records of a committed or discarded speculation are done with: it may be given out again. May be NULL. */
	void (*speculation_done)(void *data, uint32_t speculation);
	/* While nobody reads the output, again and again (base/output_stream.h). */
	void (*meanwhile)(void *data);
};

struct consumer_options {
	bool quiet;			 /* -q */
	bool flow_indent;		 /* -F */
	bool testing;			 /* _DTRACE_TESTING: CPU and ID are left out */
	bool json;			 /* -j: a line of JSON for each record */
	bool raw_bytes;			 /* -x rawbytes */
	bool agg_sort_key, agg_sort_rev; /* -x aggsortkey, aggsortrev */
	unsigned int agg_sort_key_pos, agg_sort_pos;
	bool agg_zoom;		 /* -x aggzoom */
	bool agg_hist, agg_pack; /* -x agghist, aggpack */
	bool has_utf8_bars;	 /* block characters for bars: with -x encoding=utf8 */
	bool has_utf8_packed;	 /* and for what aggpack packs: also if locale and terminal have them */
	bool no_names;		 /* -x noresolve: addresses of processes are printed as numbers */
	bool stack_lines;	 /* -x ustacklines: frames of Erlang code have their lines */
	int stack_indent;	 /* -x stackindent, default 14 */
	size_t print_size; /* -x printsize: print() shows no member of what a pointer points to that begins behind it */
	size_t speculation_size; /* -x specsize: bytes that a speculation may hold; 0: 4 MiB */
	const char *program;	 /* in front of errors; NULL: "erlbpf" */
	const char *output;	 /* -o, appended to; NULL: stdout */
	FILE *to;		 /* instead of both, and of stderr; stays the caller's; NULL: none */
	bool mute;		 /* print nothing, and count what would have been printed */
};

/* NULL and errno. What it is given must outlive it; the options are looked at whenever something is printed. */
struct consumer *consumer_new(const struct unit *unit, const struct consumer_options *options,
			      const struct consumer_ops *ops, void *data);
void consumer_free(struct consumer *consumer);

/*
 * Before the first record. The heading "CPU     ID                    FUNCTION:NAME" comes with the first
 * record that is printed, as dtrace(1) does it: there is none if nothing is.
 */
void consumer_begin(struct consumer *consumer);

/* A record: struct d_record or struct d_fault_record. 0, or -errno if nobody reads the output any more. */
int consumer_record(struct consumer *consumer, const void *record, size_t size);

/* What was printed goes out: after each batch of records. -errno if nobody reads it any more. */
int consumer_flush(struct consumer *consumer);

/* At the end: an empty line, and all aggregations that no printa() has shown, in the order of the program. */
int consumer_end(struct consumer *consumer);

/* -j: behind all that, the last line, with what was lost. */
int consumer_summary(struct consumer *consumer, const struct d_drops *lost);

/* Records of speculations for which there was no room here. */
uint64_t consumer_speculation_drops(const struct consumer *consumer);

#endif
