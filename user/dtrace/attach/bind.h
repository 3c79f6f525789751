/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Binding: which clauses belong to which probes, and so which BPF programs there are to be. Probes that have
 * the same clauses, and are started in the same way, share a program.
 */
#ifndef ERLBPF_DTRACE_ATTACH_BIND_H
#define ERLBPF_DTRACE_ATTACH_BIND_H

#include <stdbool.h>
#include <stddef.h>

#include "d/build.h"
#include "d/lang/unit.h"
#include "dtrace/provider/probes.h"

struct binding;

/* NULL and errno. */
struct binding *binding_new(struct unit *unit, struct probes *probes);
void binding_free(struct binding *binding);

/*
 * Find the probes of every clause, and make the programs. A description that matches none is an error
 * (D_PDESC_ZERO) unless zero_ok, or unless it may match once a command runs. False: see unit->diag.
 */
bool binding_make(struct binding *binding, bool zero_ok, bool waits_for_command);

/* Matches of the clauses with ids from first to last, a probe counted once for every description. */
size_t binding_matched(const struct binding *binding, unsigned int first, unsigned int last);

const struct d_program *binding_programs(const struct binding *binding, size_t *count);

/* The program that a probe starts; -1: it has no clauses. */
int binding_program_of(struct binding *binding, const struct d_probe *probe);

/* And the one that the clock of a tick starts. */
int binding_clock_program_of(struct binding *binding, const struct d_probe *probe);

/* Descriptions of Erlang functions that were found, a bit for each: what is not among them may not be asked for. */
uint64_t binding_functions(const struct binding *binding);
struct d_beam_meant binding_functions_meant(const struct binding *binding);

/* The descriptions that wait for what processes load later. */
const struct probe_spec *const *binding_waiting(const struct binding *binding, size_t *count);

/*
 * Visits the programs that a probe starts that came later, and how many times each is to run: one, or where clauses
 * meet at it as nobody could know, one for each of its clauses. Until it gives an error.
 */
int binding_programs_of(struct binding *binding, const struct d_probe *probe,
			int (*visit)(void *data, const struct d_probe *probe, int program, unsigned int times),
			void *data);

/* Has any clause of the program a description that may mean a probe of that provider and name? */
bool binding_may_mean(const struct binding *binding, const char *program, const char *provider, const char *name);

#endif
