/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface between the consumer, which prints, and its caller, which runs the program: options and callbacks. */
#ifndef ERLBPF_DTRACE_PRINT_CONSUMER_OPS_H
#define ERLBPF_DTRACE_PRINT_CONSUMER_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "d.h"
#include "d/lang/unit.h"

struct probe_names;
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
	/* While nobody reads the output, again and again (base/io/output_stream.h). */
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

#endif
