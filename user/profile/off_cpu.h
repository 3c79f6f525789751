/* SPDX-License-Identifier: BSD-2-Clause */
/* Why processes do not run: probes where schedulers pick and release them, see bpf/off-cpu.bpf.c. */
#ifndef ERLBPF_PROFILE_OFF_CPU_H
#define ERLBPF_PROFILE_OFF_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "load/kernel/kernel.h"
#include "options.h"
#include "profile.h"

struct off_cpu_request {
	const struct kernel *kernel;
	const struct options *nodes; /* selects nodes; borrowed */
	bool by_process;
	uint64_t process; /* only this process of each node (an id of bpf/erl.h); 0: all */
	double share;	  /* limit of the overhead, as a share of the nodes' CPU time; 0: none */
	bool takes_gc;	  /* also collections on dirty schedulers, which no timer samples */
};

struct off_cpu;

/* Loads the programs without attaching them. NULL and errno; the error is printed. */
struct off_cpu *off_cpu_new(const struct off_cpu_request *request);
void off_cpu_free(struct off_cpu *off);

/* The probes are attached: waits that have begun before count from now on. */
void off_cpu_begin(const struct off_cpu *off);

/* Attaches and detaches the probes; owned. */
struct probing *off_cpu_probing(const struct off_cpu *off);

/*
 * Calls `visit` for each stack and reason with their time, including processes that still wait. If the probes were
 * attached part of the time, it is scaled to all of it. 0 or -errno.
 */
typedef void off_cpu_visitor(void *data, const struct sample_stack *stack, enum off_reason reason, uint64_t ns);
int off_cpu_read(struct off_cpu *off, off_cpu_visitor *visit, void *data);

/* By enum off_total. */
uint64_t off_cpu_total(const struct off_cpu *off, enum off_total total);

#endif
