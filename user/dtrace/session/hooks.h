/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks: how the programs of a D unit are started that are not the catalogue's probes: by us (BEGIN, END, tick),
 * by a CPU's clock (profile), by functions of a process (pid), by tracepoints (syscall, sched).
 */
#ifndef ERLBPF_DTRACE_SESSION_HOOKS_H
#define ERLBPF_DTRACE_SESSION_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "dtrace/session/bind.h"
#include "load/kernel.h"
#include "load/load.h"

struct hooks;

/* All must outlive it. With terms, programs know the release of a process that is a BEAM. NULL and errno. */
struct hooks *hooks_new(struct loader *loader, const struct kernel *kernel, struct binding *binding,
			struct probes *probes, bool with_terms);
void hooks_free(struct hooks *hooks);

/* The only CPU of what each CPU has a clock for; -1, as at first: all. */
void hooks_keep_to(struct hooks *hooks, int cpu);

/* Load the programs of all probes that there are. 0 or -errno, explained. */
int hooks_load(struct hooks *hooks);

/* Put the programs where their probes are. 0 or -errno, explained. */
int hooks_attach(struct hooks *hooks);

/* Take them away. */
void hooks_detach(struct hooks *hooks);

/* Fire a probe that we run: 0, -ENOENT if it has no clauses, -errno. */
int hooks_run(const struct hooks *hooks, const struct d_probe *probe);

/* Say why the kernel does not take the program of a probe, if it is the clauses' fault. */
void hooks_report_refusal(const struct d_probe *probe, const struct d_program *program, int err);

/* Every program that is not the loader's: those at tracepoints. */
void hooks_each_own(const struct hooks *hooks, void (*visit)(void *data, int program), void *data);

/* Has the probe clauses? */
bool hooks_has(const struct hooks *hooks, const struct d_probe *probe);

#endif
