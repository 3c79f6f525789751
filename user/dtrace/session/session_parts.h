/* SPDX-License-Identifier: BSD-2-Clause */
/* Internal to the session: shared by its files. Comments name the file that defines the functions. */
#ifndef ERLBPF_DTRACE_SESSION_SESSION_PARTS_H
#define ERLBPF_DTRACE_SESSION_SESSION_PARTS_H

#include "base/io/event_loop.h"
#include "budget/pace.h"
#include "d/build.h"
#include "dtrace/attach/bind.h"
#include "dtrace/records/consumer.h"
#include "dtrace/session/session.h"
#include "erlang/breakpoints.h"
#include "load/kernel/kernel.h"
#include "trace/follow.h"

/* A probe that a timer fires. */
struct tick {
	struct session *session;
	const struct d_probe *probe;
};

/* A process that ends the trace. */
struct awaited {
	struct session *session;
	pid_t pid;
	int fd;
};

struct known_node;

struct session {
	struct unit *unit;
	struct probes *probes;
	const struct session_options *options;
	struct consumer *consumer;
	struct binding *binding;
	struct d_object object;

	struct kernel kernel;
	struct kernel_warmth *warmth; /* until the probes are attached */
	struct loader *loader;
	struct hooks *hooks;
	struct loaded *loaded; /* NULL: no clause concerns files loaded later */
	struct follow *follow; /* NULL: no clause uses probes of the catalogue */
	struct pace pace;      /* for the probes of `follow`; zeroed without an overhead limit */
	struct options follow_options;
	struct attach_request request;
	struct attach_choice choice;
	struct breakpoints_request breakpoints;		       /* zeroed without clauses for Erlang functions */
	const struct probe_spec *functions[BREAKPOINTS_GLOBS]; /* descriptions of Erlang functions */
	char *globs[BREAKPOINTS_GLOBS];			       /* for these descriptions, owned */
	struct known_node *known_nodes;			       /* nodes whose stacks can be walked; stacks.c */
	size_t known_count;
	struct symbols *symbols; /* made at the first printed address */
	struct feed *feed;
	int state;	     /* fd of the map d_state */
	int names;	     /* fd of d_probe_names, if needed */
	struct d_state seen; /* at the last reading of records */
	struct drops *drops;

	struct event_loop *waiting; /* stopped when the trace ends */
	struct tick *ticks;
	size_t tick_count;
	struct awaited *awaited;
	size_t awaited_count, ended;
	bool has_reader;
	bool error_reported;	 /* the error that stopped the reading was reported, with its aggregation */
	unsigned long shortages; /* print_shortages() at the start */
	bool is_refused;	 /* the kernel refused a program for the catalogue's probes, or out of memory */
	int status;
};

/* results.c */
extern const struct consumer_ops session_answers;
struct symbols *session_symbols(struct session *session); /* NULL: out of memory */

/* prepare.c: true if addresses are printed. Resolving them takes time, and kernel addresses need a capability. */
bool unit_shows_addresses(const struct unit *unit);

/* records.c: the shared state, and records. */
int state_set_live(const struct session *session);
bool state_is_over(const struct session *session);
int state_exit_status(const struct session *session, int status);
/* Reads the ring up to a limit; or completely, when nothing fires any more. */
void records_consume(struct session *session);
void records_consume_last(struct session *session);
/* Reports losses since the last report. */
void session_report_drops(const struct session *session);

/* The output failed: ends the trace, and reports it unless the reader is gone (EPIPE). */
void session_lose_reader(struct session *session, int err);

/* names.c: for programs that use names of probes. */
void session_publish_names(const struct session *session, const struct d_probe *probe, uint32_t os_id);

/* functions.c: Erlang functions. Detects their descriptions, and adds their breakpoints to the request. */
bool functions_wanted(const struct session *session);
int functions_request(struct session *session); /* 0 or -errno */
/* Before maps are made: tells the kernel about them. 0 or -errno. */
int functions_shape(const struct session *session);
/* After the search for nodes: checks that nodes accepted breakpoints. 0 or -errno, reported. */
int functions_check(const struct session *session);
void functions_free(struct session *session);

/* stacks.c: of Erlang processes. Before maps are made, 0 or -errno; and for each node, once it is followed. */
int stacks_shape(const struct session *session);
void stacks_publish(struct session *session);
void stacks_free(struct session *session);

/* loaded.c: files loaded while the trace runs. The next scan covers all processes. */
int loaded_prepare(struct session *session); /* 0 or -errno */
void loaded_scan(struct session *session);
void loaded_free(struct loaded *loaded);

/* loop.c: event sources. 0 or -errno. */
int turns_prepare(struct session *session);
int turns_add_signals(struct session *session);
void turns_take(struct session *session, int limit_ms);
int turns_limit_ms(const struct session *session);

#endif
