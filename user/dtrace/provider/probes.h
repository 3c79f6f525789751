/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probes that D knows: each has four names, an id as dtrace(1) shows it, and the numbers that its
 * firings carry (struct d_record). Some always are (dtrace, profile), some are found in processes
 * (erlangPID, pidPID), some in the kernel (syscall, sched); what a probe description matches is made on
 * demand (providers.h).
 */
#ifndef ERLBPF_DTRACE_PROVIDER_PROBES_H
#define ERLBPF_DTRACE_PROVIDER_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "d.h"
#include "d/lang/ast.h"
#include "d/lang/program.h"
#include "erl.h"

/* The names of a probe, as printed. */
struct probe_names {
	unsigned int id;
	const char *provider, *module, *function, *name;
};

struct probes;
struct child;
struct note_site;

/* A raw tracepoint that fires a probe. */
struct d_source {
	const char *tracepoint;
	enum d_shape shape;
};

struct d_probe {
	struct probe_names names; /* the texts are the probes' own */
	enum d_hook hook;
	uint32_t number;	      /* of struct d_frame: below ERL_PROBES the catalogue's, else of this session */
	uint32_t function;	      /* the same */
	pid_t pid;		      /* in which it fires, 0: it is of no process */
	uint64_t period_ns;	      /* tick-N, profile-N */
	uint64_t frequency;	      /* profile-Nhz, 0: by period_ns */
	struct mapped_object *object; /* of the provider pid: the file */
	uint64_t offset;	      /* in the file */
	const struct note_site *
		*sites; /* of SDT notes (usdt.h); the probe's own, what they point to is the provider's */
	size_t site_count;
	int syscall; /* its number */
	enum d_shape shape;
	const char *tracepoint;	     /* raw tracepoint that fires it */
	const struct d_source *also; /* others, static, up to one without a name; NULL: none */
};

struct probes_options {
	const pid_t *pids;		      /* the only processes that the provider erlang is looked for in */
	size_t pid_count;		      /* 0: in every BEAM */
	const struct target_selector *select; /* which BEAMs; NULL: all */
	bool allow_denied;		      /* --unsafe: see erlbpf list */
	bool only_nodes;	/* probes of nodes, and clocks that do not run fast: no others are known */
	bool allow_breakpoints; /* -x via=vm: nodes may be changed, for Erlang functions */
};

/* The options must outlive it. NULL and errno. */
struct probes *probes_new(const struct probes_options *options);
void probes_free(struct probes *probes);

/* -p and -c: one more process that the provider erlang is looked for in, and no others. 0 or -ENOMEM. */
int probes_add_pid(struct probes *probes, pid_t pid);

/* The command of -c: it is run up to its first instruction when the provider pid wants to know its functions. */
void probes_set_child(struct probes *probes, struct child *child);
struct child *probes_child(const struct probes *probes);

const struct probes_options *probes_get_options(const struct probes *probes);

/* Why the last search found nothing, for people; "" if no more is known. In the probes' own memory. */
const char *probes_why(const struct probes *probes);
/* And its tag: D_PDESC_ZERO if it is nothing else. */
const char *probes_tag(const struct probes *probes);

/* All so far, and the one with these numbers; NULL. */
size_t probes_count(const struct probes *probes);
const struct d_probe *probes_get(const struct probes *probes, size_t i);
const struct d_probe *probes_find(const struct probes *probes, uint32_t number, uint32_t function, pid_t pid);

#endif
