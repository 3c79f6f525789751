/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session: what runs a compiled D program. It finds the probes that the clauses name, has a BPF object
 * built of them, loads and attaches it, runs BEGIN, hands records to the consumer until something ends the
 * trace, runs END.
 */
#ifndef ERLBPF_DTRACE_SESSION_H
#define ERLBPF_DTRACE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "d/unit.h"
#include "dtrace/consume.h"
#include "dtrace/probes.h"

struct session;
struct child;

struct session_options {
	bool quiet;			/* -q: nothing but what the program prints */
	bool zero_ok;			/* -Z: descriptions that match nothing are no errors */
	bool drop_tags;			/* -x droptags */
	size_t ring_size;		/* -x bufsize, in bytes; 0: the default */
	uint64_t switch_ns;		/* -x switchrate: how often the ring is looked at; 0: the default */
	const char *name;		/* before messages, "dtrace" or "erlbpf" */
	struct child *child;		/* of -c, held: the session lets it run; NULL: none */
	const pid_t *wait_for;		/* of -p: the trace ends with the last of them */
	size_t wait_count;
	bool (*setopt)(void *data, const char *name, const char *value);	/* setopt(); NULL: none can be set */
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

#endif
