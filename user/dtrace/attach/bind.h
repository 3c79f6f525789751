/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Binding: assigns clauses to probes, and so determines the BPF programs. Probes with the same clauses and hook share a
 * program.
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
 * Finds the probes of every clause and makes the programs. A description without a match is an error (D_PDESC_ZERO)
 * unless zero_ok is set or it can match once the command runs. False: see unit->diag.
 */
bool binding_make(struct binding *binding, bool zero_ok, bool waits_for_command);

/* Matches of the clauses with ids from first to last; a probe counts once for each description. */
size_t binding_matched(const struct binding *binding, unsigned int first, unsigned int last);

const struct d_program *binding_programs(const struct binding *binding, size_t *count);

/* The program for a probe; -1: no clauses. */
int binding_program_of(struct binding *binding, const struct d_probe *probe);

/* The program for the clock of a tick. */
int binding_clock_program_of(struct binding *binding, const struct d_probe *probe);

/* Descriptions of Erlang functions that were found, one bit each: only these need breakpoints. */
uint64_t binding_functions(const struct binding *binding);
struct d_beam_matches binding_function_matches(const struct binding *binding);

/* Descriptions that wait for files that processes load later. */
const struct probe_spec *const *binding_waiting(const struct binding *binding, size_t *count);

/*
 * Visits the programs for a probe that appeared later, and how often each runs: once, or if clauses meet at it
 * unexpectedly, once for each of its clauses. Stops at an error.
 */
int binding_programs_of(struct binding *binding, const struct d_probe *probe,
			int (*visit)(void *data, const struct d_probe *probe, int program, unsigned int times),
			void *data);

/* True if a clause of the program has a description that can mean a probe of that provider and name. */
bool binding_may_mean(const struct binding *binding, const char *program, const char *provider, const char *name);

#endif
