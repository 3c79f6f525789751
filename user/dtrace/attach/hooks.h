/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks: start the programs of a D unit that are not probes of the catalogue: run by the session (BEGIN, END, tick), by
 * a CPU's clock (profile), by functions and notes of a process (places.h), or by tracepoints (syscall, sched).
 */
#ifndef ERLBPF_DTRACE_ATTACH_HOOKS_H
#define ERLBPF_DTRACE_ATTACH_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "dtrace/attach/bind.h"
#include "load/kernel/kernel.h"
#include "load/load.h"

struct hooks;

struct hooks_config {
	int cpu;		 /* the only one with clocks; -1: all */
	bool with_terms;	 /* programs need the release of a process that is a BEAM */
	unsigned int args;	 /* note arguments that programs read, one bit each */
	struct symbols *symbols; /* of the kernel, if programs read its stacks; otherwise NULL. Only for hooks_load() */
	struct kernel_types *kernel_types; /* if programs read arguments; otherwise NULL. Only for hooks_load() */
};

/* All but the needs must outlive it. NULL: out of memory. */
struct hooks *hooks_new(struct loader *loader, const struct kernel *kernel, struct binding *binding,
			struct probes *probes, const struct hooks_config *needs);
void hooks_free(struct hooks *hooks);

/* Loads the programs of all present probes. 0 or -errno, reported. */
int hooks_load(struct hooks *hooks);

/* Attaches the programs to their probes. 0 or -errno, reported. */
int hooks_attach(struct hooks *hooks);

/*
 * Loads a probe that appeared later, or has new sites; then call hooks_attach_loaded(), which also forgets ended
 * processes. 0 or -errno, reported.
 */
int hooks_load_loaded(struct hooks *hooks, const struct d_probe *probe);
int hooks_attach_loaded(struct hooks *hooks);

/* Detaches all programs. */
void hooks_detach(struct hooks *hooks);

/* Fires a probe that the session runs: 0, -ENOENT if it has no clauses, -errno. */
int hooks_run(const struct hooks *hooks, const struct d_probe *probe);

/* When to check first whether a tick was missed; fires a missed one, if any. */
uint64_t hooks_check_ns(const struct hooks *hooks, const struct d_probe *tick);
bool hooks_fire_missed(const struct hooks *hooks, const struct d_probe *tick);

/* Reports why the kernel refuses the program of a probe, if the clauses cause it. */
void hooks_report_refusal(const struct d_probe *probe, const struct d_program *program, int err);

/* Visits every program outside the loader: those at tracepoints. */
void hooks_each_own(const struct hooks *hooks, void (*visit)(void *data, int program), void *data);

/* True if the probe has clauses. */
bool hooks_has(const struct hooks *hooks, const struct d_probe *probe);

#endif
