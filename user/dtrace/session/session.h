/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session runs a compiled D program. It finds the probes of the clauses, builds, loads and attaches a BPF object,
 * runs BEGIN, passes records to the consumer until the trace ends, and runs END.
 */
#ifndef ERLBPF_DTRACE_SESSION_SESSION_H
#define ERLBPF_DTRACE_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "d/lang/unit.h"
#include "dtrace/records/consume.h"
#include "dtrace/provider/probes.h"

struct session;
struct aggregates;
struct child;
struct cost;
struct kernel;
struct print;
struct target;

struct session_options {
	bool quiet;		 /* -q: only output of the program */
	bool zero_ok;		 /* -Z: descriptions without a match are valid */
	bool drop_tags;		 /* -x droptags */
	bool keep_caps;		 /* -x keepcaps */
	bool is_confined;	 /* to nodes of a user: see loader_confine() */
	const char *cookie_file; /* -x cookiefile, for breakpoints on Erlang functions; NULL: search for it */
	uint64_t call_limit;	 /* -x calllimit: calls per second at which breakpoints are removed; 0: the default */
	double max_overhead; /* -x maxoverhead: of probes on nodes, in percent of their scheduler capacity; 0: no limit;
				less: the default */
	bool samples;	     /* -x sample: beyond that, it samples instead of ending */
	size_t ring_size;    /* -x bufsize, in bytes; 0: the default */
	size_t map_bytes;    /* limit for all arrays and aggregations together; 0: none */
	int cpu;	     /* -x cpu: for programs that the session runs; -1: any */
	uint64_t switch_ns;  /* -x switchrate: interval of reading the ring; 0: the default */
	uint64_t status_ns;  /* -x statusrate: interval of reporting drops; 0: the default */
	const char *name;    /* prefix of messages, "dtrace" or "erlbpf" */
	struct child *child; /* of -c, held: the session starts it; NULL: none */
	const pid_t *wait_for; /* of -p: the trace ends with the last of them */
	size_t wait_count;
	bool waits_for_nodes; /* runs permanently: probes of future nodes are no error, and names of nodes matter */
	bool may_come;	      /* probes of future nodes are no error */
	const struct target_selector *select; /* only these nodes; NULL: all */
	const struct kernel *kernel;	      /* its features; NULL: detect */
	/* setopt(): returns NULL, or the reason for an error. */
	const char *(*setopt)(void *data, const char *name, const char *value);
	void *setopt_data;
};

/*
 * All arguments must outlive it, also the consumer's options, which are read at each output. The unit is checked. NULL
 * and errno.
 */
struct session *session_new(struct unit *unit, struct probes *probes, const struct session_options *options,
			    const struct consumer_options *consumer_options);
void session_free(struct session *session);

/* Finds the probes and builds the object, as for -e. False: the reason is in unit->diag. */
bool session_build(struct session *session);

/* The number of probes that the clauses with ids from `first` to `last` match, after session_build(). */
size_t session_matched(const struct session *session, unsigned int first, unsigned int last);

/* -S: prints the IR of every program, after session_build(). */
void session_dump(const struct session *session, FILE *to);

/*
 * Runs it. Returns the exit code of dtrace(1): 0 after Ctrl-C or the end of the awaited processes, the status of
 * exit(), or 1 after an error, which was printed to stderr.
 */
int session_run(struct session *session);

/*
 * The same in steps, for callers with their own loop: load, prepare, start, then a turn whenever the fd is readable,
 * until a turn returns false; then end, in any case after a start. 0 or -errno, reported; end: as above.
 */
int session_load(struct session *session);
int session_prepare(struct session *session);
int session_start(struct session *session);
int session_fd(const struct session *session);
bool session_turn(struct session *session);
int session_end(struct session *session);

/* The reader of the output is gone: drops unread records. */
void session_forget_reader(struct session *session);

/* At run time: prints the current aggregations, as at the end. 0 or -errno. */
int session_show_aggregations(struct session *session);

/* All aggregations, and the means to read them; at run time, and after the end. */
const struct aggregates *session_aggregates(const struct session *session);
struct print session_print(const struct session *session);

/* Losses up to the last turn; firings with a fault; actions with omitted output (consumer's `mute`). */
struct d_drops session_losses(const struct session *session);
uint64_t session_faults(const struct session *session);
uint64_t session_muted(const struct session *session);

/* The traced BEAM with that pid, or NULL. It may have ended. */
const struct target *session_target(const struct session *session, pid_t pid);

/* Visits every live target. */
void session_each_target(const struct session *session, void (*visit)(void *data, const struct target *target),
			 void *data);

/* The cost for its targets; see struct overhead_source. */
void session_cost(const struct session *session, bool is_measured, struct cost *cost);

#endif
