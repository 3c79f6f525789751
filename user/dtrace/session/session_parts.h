/* SPDX-License-Identifier: BSD-2-Clause */
/* A session's own: what its files share. Each names the file that has the functions below it. */
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

/* A process that the trace ends with. */
struct awaited {
	struct session *session;
	pid_t pid;
	int fd;
};

struct told_node;

struct session {
	struct unit *unit;
	struct probes *probes;
	const struct session_options *options;
	struct consumer *consumer;
	struct binding *binding;
	struct d_object object;

	struct kernel kernel;
	struct kernel_warmth *warmth; /* until the probes are in place */
	struct loader *loader;
	struct hooks *hooks;
	struct loaded *loaded; /* NULL: no clause is about what processes load later */
	struct follow *follow; /* NULL: no clause is about the catalogue's probes */
	struct pace pace;      /* of the follow's probes; zeroed if they have no budget */
	struct options follow_options;
	struct attach_request request;
	struct attach_choice choice;
	struct breakpoints_request breakpoints;		       /* zeroed if no clause is about Erlang functions */
	const struct probe_spec *functions[BREAKPOINTS_GLOBS]; /* the descriptions of Erlang functions */
	char *globs[BREAKPOINTS_GLOBS];			       /* of theirs, owned */
	struct told_node *told;				       /* whose stacks can be walked; stacks.c */
	size_t told_count;
	struct symbols *symbols; /* made when the first address is printed */
	struct feed *feed;
	int state;	     /* fd of the map d_state */
	int names;	     /* of d_probe_names, where it is wanted */
	struct d_state seen; /* when records were read last */
	struct drops *drops;

	struct event_loop *waiting; /* stopped when the trace is to end */
	struct tick *ticks;
	size_t tick_count;
	struct awaited *awaited;
	size_t awaited_count, ended;
	bool has_reader;
	bool is_told;		 /* what ended the reading: an aggregation's error */
	unsigned long shortages; /* print_shortages() before it began */
	bool is_refused;	 /* the kernel did not take a program of the catalogue's probes, or memory was short */
	int status;
};

/* answers.c */
extern const struct consumer_ops session_answers;
struct symbols *session_symbols(struct session *session); /* NULL if memory is short */

/* prepare.c: are addresses printed? They are looked up then; those of the kernel take a capability. */
bool unit_shows_addresses(const struct unit *unit);

/* records.c: the state that programs share, and the records that they send. */
int state_set_live(const struct session *session);
bool state_is_over(const struct session *session);
int state_exit_status(const struct session *session, int status);
/* What the ring has, up to a limit; and to the last record, when nothing fires. */
void records_consume(struct session *session);
void records_consume_last(struct session *session);
/* What was lost since the last report. */
void session_report_drops(const struct session *session);

/* What was recorded could not be written: the end, which is said unless it is that nobody reads any more (EPIPE). */
void session_lose_reader(struct session *session, int err);

/* names.c: for the programs that ask for names of probes. */
void session_publish_names(const struct session *session, const struct d_probe *probe, uint32_t os_id);

/* functions.c: Erlang functions. Are there descriptions of any? Then their breakpoints become part of the request. */
bool functions_wanted(const struct session *session);
int functions_request(struct session *session); /* 0 or -errno */
/* Before the maps are made: what the kernel is to know of them. 0 or -errno. */
int functions_shape(const struct session *session);
/* Behind the search for nodes: which of them refused, and has any got some? 0 or -errno, explained. */
int functions_check(const struct session *session);
void functions_free(struct session *session);

/* stacks.c: of Erlang processes. Before the maps are made, 0 or -errno; and of each node, as soon as it is followed. */
int stacks_shape(const struct session *session);
void stacks_publish(struct session *session);
void stacks_free(struct session *session);

/* loaded.c: what processes load while the trace runs. The next look is at all of them. */
int loaded_prepare(struct session *session); /* 0 or -errno */
void loaded_look(struct session *session);
void loaded_free(struct loaded *loaded);

/* turns.c: all that is waited for. 0 or -errno. */
int turns_prepare(struct session *session);
int turns_add_signals(struct session *session);
void turns_take(struct session *session, int limit_ms);
int turns_limit_ms(const struct session *session);

#endif
