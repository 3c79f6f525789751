/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probes that D knows: each has four names, an id as in dtrace(1), and the numbers that its firings carry (struct
 * d_record). Some always exist (dtrace, profile), others are found in processes (erlangPID, pidPID) or in the kernel
 * (syscall, sched). Probes for a description are created on demand (providers.h).
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
	struct probe_names names; /* the probe owns the texts */
	enum d_hook hook;
	uint32_t number;    /* of struct d_frame: below ERL_PROBES the catalogue's, otherwise of this session */
	uint32_t function;  /* the same */
	pid_t pid;	    /* process in which it fires, 0: none */
	uint64_t period_ns; /* tick-N, profile-N */
	uint64_t frequency; /* profile-Nhz, 0: by period_ns */
	struct mapped_object *object;	/* of the provider pid: the file */
	uint64_t offset;		/* in the file */
	const struct note_site **sites; /* of SDT notes (usdt.h); the probe owns the list, the provider the rest */
	size_t site_count;
	int syscall; /* its number */
	enum d_shape shape;
	const char *tracepoint;	     /* raw tracepoint that fires it */
	const struct d_source *also; /* further tracepoints, static, ended by one without a name; NULL: none */
};

struct probes_options {
	const pid_t *pids;		      /* processes in which the provider erlang searches */
	size_t pid_count;		      /* 0: every BEAM */
	const struct target_selector *select; /* selected BEAMs; NULL: all */
	bool allow_denied;		      /* --unsafe: see erlbpf list */
	bool only_nodes;		      /* only probes of nodes, and slow clocks */
	bool allow_breakpoints;		      /* -x via=vm: breakpoints on Erlang functions are allowed */
};

/* The options must outlive it. NULL and errno. */
struct probes *probes_new(const struct probes_options *options);
void probes_free(struct probes *probes);

/* -p and -c: limits the provider erlang to these processes. 0 or -ENOMEM. */
int probes_add_pid(struct probes *probes, pid_t pid);

/* The command of -c: it runs up to its first instruction when the provider pid needs its functions. */
void probes_set_child(struct probes *probes, struct child *child);
struct child *probes_child(const struct probes *probes);

const struct probes_options *probes_get_options(const struct probes *probes);

/* The reason why the last search found nothing, as text; "" if unknown. The probes own it. */
const char *probes_why(const struct probes *probes);
/* And its tag: D_PDESC_ZERO by default. */
const char *probes_tag(const struct probes *probes);

/* All probes so far; the probe with these numbers, or NULL. */
size_t probes_count(const struct probes *probes);
const struct d_probe *probes_get(const struct probes *probes, size_t i);
const struct d_probe *probes_find(const struct probes *probes, uint32_t number, uint32_t function, pid_t pid);

#endif
