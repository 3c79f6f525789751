/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks: how the programs of a D unit are started that are not the catalogue's probes: by us (BEGIN, END, tick),
 * by a CPU's clock (profile), by functions and notes of a process (places.h), by tracepoints (syscall, sched).
 */
#ifndef ERLBPF_DTRACE_ATTACH_HOOKS_H
#define ERLBPF_DTRACE_ATTACH_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "dtrace/attach/bind.h"
#include "load/kernel/kernel.h"
#include "load/load.h"

struct hooks;

struct hooks_needs {
	int cpu;		 /* the only one of what each CPU has a clock for; -1: all */
	bool with_terms;	 /* programs know the release of a process that is a BEAM */
	unsigned int args;	 /* that they read of notes, a bit for each */
	struct symbols *symbols; /* of the kernel, if they read its stacks; else NULL. Only for hooks_load() */
	struct kernel_types *kernel_types; /* if they read arguments; else NULL. Only for hooks_load() */
};

/* All but the needs must outlive it. NULL: memory is short. */
struct hooks *hooks_new(struct loader *loader, const struct kernel *kernel, struct binding *binding,
			struct probes *probes, const struct hooks_needs *needs);
void hooks_free(struct hooks *hooks);

/* Load the programs of all probes that there are. 0 or -errno, explained. */
int hooks_load(struct hooks *hooks);

/* Put the programs where their probes are. 0 or -errno, explained. */
int hooks_attach(struct hooks *hooks);

/*
 * A probe of what a process has loaded since, or one that has more sites now; then hooks_attach_loaded(), which also
 * forgets processes that have ended. 0 or -errno, explained.
 */
int hooks_load_loaded(struct hooks *hooks, const struct d_probe *probe);
int hooks_attach_loaded(struct hooks *hooks);

/* Take them away. */
void hooks_detach(struct hooks *hooks);

/* Fire a probe that we run: 0, -ENOENT if it has no clauses, -errno. */
int hooks_run(const struct hooks *hooks, const struct d_probe *probe);

/* When to look whether a tick was missed for the first time; fire one that was, if any. */
uint64_t hooks_look_ns(const struct hooks *hooks, const struct d_probe *tick);
bool hooks_make_up(const struct hooks *hooks, const struct d_probe *tick);

/* Say why the kernel does not take the program of a probe, if it is the clauses' fault. */
void hooks_report_refusal(const struct d_probe *probe, const struct d_program *program, int err);

/* Every program that is not the loader's: those at tracepoints. */
void hooks_each_own(const struct hooks *hooks, void (*visit)(void *data, int program), void *data);

/* Has the probe clauses? */
bool hooks_has(const struct hooks *hooks, const struct d_probe *probe);

#endif
