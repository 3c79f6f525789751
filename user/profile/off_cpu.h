/* SPDX-License-Identifier: BSD-2-Clause */
/* Why processes do not run: probes where schedulers let go of them and pick them, see bpf/off-cpu.bpf.c. */
#ifndef ERLBPF_PROFILE_OFF_CPU_H
#define ERLBPF_PROFILE_OFF_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "load/kernel/kernel.h"
#include "options.h"
#include "profile.h"

struct off_cpu_request {
	const struct kernel *kernel;
	const struct options *nodes; /* which nodes are meant; it must outlive it */
	bool by_process;
	uint64_t process; /* only this one of each node (an id of bpf/erl.h); 0: all */
	double share;	  /* of the nodes' time that hits may cost; 0: any */
	bool takes_gc;	  /* collections on dirty schedulers: nobody samples them */
};

struct off_cpu;

/* Loaded, and no probe is put anywhere. NULL and errno, with the reason printed. */
struct off_cpu *off_cpu_new(const struct off_cpu_request *request);
void off_cpu_free(struct off_cpu *off);

/* The probes are in place: waits that have begun before count from now on. */
void off_cpu_begin(const struct off_cpu *off);

/* What puts the probes and takes them away: its own. */
struct probing *off_cpu_probing(const struct off_cpu *off);

/*
 * Calls `visit` for each stack and reason with some time; also of processes that do not run when the probes are taken
 * away. If the probes were on part of the time, it is scaled to all of it. 0 or -errno.
 */
typedef void off_cpu_visitor(void *data, const struct sample_stack *stack, enum off_reason reason, uint64_t ns);
int off_cpu_read(struct off_cpu *off, off_cpu_visitor *visit, void *data);

/* By enum off_total. */
uint64_t off_cpu_total(const struct off_cpu *off, enum off_total total);

#endif
