/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session: what runs a compiled D program. It finds the probes that the clauses name, has a BPF object
 * built of them, loads and attaches it, runs BEGIN, hands records to the consumer until something ends the
 * trace, runs END.
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
	bool quiet;		 /* -q: nothing but what the program prints */
	bool zero_ok;		 /* -Z: descriptions that match nothing are no errors */
	bool drop_tags;		 /* -x droptags */
	bool keep_caps;		 /* -x keepcaps */
	bool is_confined;	 /* to nodes of a user: see loader_confine() */
	const char *cookie_file; /* -x cookiefile, of nodes whose Erlang functions get breakpoints; NULL: it is looked
				    for */
	uint64_t call_limit;	 /* -x calllimit: calls a second, with which breakpoints stay; 0: the default */
	double max_overhead;	 /* -x maxoverhead: of probes of nodes, in percent of their scheduler capacity; 0: no
				    limit; less: the default */
	bool samples;		 /* -x sample: beyond that, it samples instead of ending */
	size_t ring_size;	 /* -x bufsize, in bytes; 0: the default */
	size_t map_bytes;	 /* that its arrays and aggregations may take together; 0: no limit */
	int cpu;		 /* -x cpu: the only one of what we start ourselves; -1: any */
	uint64_t switch_ns;	 /* -x switchrate: how often the ring is looked at; 0: the default */
	uint64_t status_ns;	 /* -x statusrate: how often drops are reported; 0: the default */
	const char *name;	 /* before messages, "dtrace" or "erlbpf" */
	struct child *child;	 /* of -c, held: the session lets it run; NULL: none */
	const pid_t *wait_for;	 /* of -p: the trace ends with the last of them */
	size_t wait_count;
	bool waits_for_nodes; /* it runs on and on: what only a later node may have is no error, and names of nodes
				 matter */
	bool may_come;	      /* what only a later node may have is no error */
	const struct target_selector *select; /* only these nodes; NULL: all */
	const struct kernel *kernel;	      /* what it can do; NULL: that is found out */
	/* setopt(): gives NULL, or why the option is not set. */
	const char *(*setopt)(void *data, const char *name, const char *value);
	void *setopt_data;
};

/*
 * All of what it is given must outlive it, also the consumer's options, which are looked at whenever
 * something is printed. The unit is checked. NULL and errno.
 */
struct session *session_new(struct unit *unit, struct probes *probes, const struct session_options *options,
			    const struct consumer_options *consumer_options);
void session_free(struct session *session);

/* Find the probes and have the object built: all of what -e does. False with the reason in unit->diag. */
bool session_build(struct session *session);

/* How many probes the clauses with ids from `first` to `last` match, after session_build(). */
size_t session_matched(const struct session *session, unsigned int first, unsigned int last);

/* -S: the code of every program, after session_build(). */
void session_dump(const struct session *session, FILE *to);

/*
 * Run it. What dtrace(1) exits with: 0 after Ctrl-C or when what it waited for has ended, the program's
 * own status after exit(), 1 if something went wrong, which is on stderr.
 */
int session_run(struct session *session);

/*
 * The same in steps, for who has a loop of its own: load, prepare, start, then a turn whenever the fd is readable, as
 * long as turns say that it goes on; then the end, in any case once it was started. 0 or -errno, explained; the end:
 * as above.
 */
int session_load(struct session *session);
int session_prepare(struct session *session);
int session_start(struct session *session);
int session_fd(const struct session *session);
bool session_turn(struct session *session);
int session_end(struct session *session);

/* Nobody reads any more what it prints: what it has recorded is dropped. */
void session_forget_reader(struct session *session);

/* While it runs: print aggregations as they are now, as at the end. 0 or -errno. */
int session_show_aggregations(struct session *session);

/* All aggregations, and what reads their values; while it runs, and after its end. */
const struct aggregates *session_aggregates(const struct session *session);
struct print session_print(const struct session *session);

/* What was lost up to the last turn; firings that came to a fault; actions that printed nothing (consumer's `mute`). */
struct d_drops session_losses(const struct session *session);
uint64_t session_faults(const struct session *session);
uint64_t session_muted(const struct session *session);

/* The BEAM with that pid, if it is one that the session traces; NULL. It may have ended. */
const struct target *session_target(const struct session *session, pid_t pid);

/* Visit every target that lives. */
void session_each_target(const struct session *session, void (*visit)(void *data, const struct target *target),
			 void *data);

/* What it costs those whom it traces; see struct overhead_source. */
void session_cost(const struct session *session, bool is_measured, struct cost *cost);

#endif
