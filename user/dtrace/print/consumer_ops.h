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
	const void *key;       /* with the layout of the aggregation's keys */
	const uint64_t *words; /* see d/lang/agg.h */
};

/* Callbacks to the caller. */
struct consumer_ops {
	/* The probe of a record. Never NULL. */
	const struct probe_names *(*probe)(void *data, uint32_t probe, uint32_t function, uint32_t os_id);
	/* Every current key of an aggregation. 0 or -errno. */
	int (*each)(void *data, const struct unit_agg *agg, int (*visit)(void *to, const struct agg_entry *entry),
		    void *to);
	/* clear(): resets all values, keeps keys. trunc(): removes a key. 0 or -errno. */
	int (*clear)(void *data, const struct unit_agg *agg);
	int (*remove)(void *data, const struct unit_agg *agg, const void *key);
	/* Text of an address, by `symbol`: "libc.so.6`malloc+0x12", "erts`foo:bar/1+0x40", or a number. */
	void (*symbol)(void *data, uint32_t os_id, uint64_t address, enum field_symbol symbol, char *buf, size_t size);
	/* Text of a term in a record (struct term_snapshot). */
	void (*term)(void *data, uint32_t os_id, const struct term_snapshot *snapshot, char *buf, size_t size);
	/* exit(): end the program with that status. */
	void (*exit)(void *data, int status);
	/* setopt(); value NULL: none. Returns NULL, or the reason for an error. */
	const char *(*setopt)(void *data, const char *name, const char *value);
	/* All records of a committed or discarded speculation are done: its id is free. May be NULL. */
	void (*speculation_done)(void *data, uint32_t speculation);
	/* Called repeatedly while output blocks (base/io/output_stream.h). */
	void (*meanwhile)(void *data);
};

struct consumer_options {
	bool quiet;			 /* -q */
	bool flow_indent;		 /* -F */
	bool testing;			 /* _DTRACE_TESTING: omits CPU and ID */
	bool json;			 /* -j: one line of JSON per record */
	bool raw_bytes;			 /* -x rawbytes */
	bool agg_sort_key, agg_sort_rev; /* -x aggsortkey, aggsortrev */
	unsigned int agg_sort_key_pos, agg_sort_pos;
	bool agg_zoom;		 /* -x aggzoom */
	bool agg_hist, agg_pack; /* -x agghist, aggpack */
	bool has_utf8_bars;	 /* block characters for bars: with -x encoding=utf8 */
	bool has_utf8_packed;	 /* block characters for aggpack: also if locale and terminal support them */
	bool no_names;		 /* -x noresolve: prints process addresses as numbers */
	bool stack_lines;	 /* -x ustacklines: prints line numbers of Erlang frames */
	int stack_indent;	 /* -x stackindent, default 14 */
	size_t print_size;	 /* -x printsize: print() omits members of a pointer's target from this offset on */
	size_t speculation_size; /* -x specsize: bytes in a speculation; 0: 4 MiB */
	const char *program;	 /* prefix of errors; NULL: "erlbpf" */
	const char *output;	 /* -o, append; NULL: stdout */
	FILE *to;		 /* replaces both, and stderr; owned by the caller; NULL: none */
	bool mute;		 /* print nothing, and count omitted output */
};

#endif
