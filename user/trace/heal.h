/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Taking away what probes have left behind in a process. The kernel restores an instruction when the last probe on it
 * is taken away, and lowers its semaphore; so a probe that does nothing is put on each changed site and taken away
 * again. What a tracer uses stays, because then it was not the last one.
 */
#ifndef ERLBPF_TRACE_HEAL_H
#define ERLBPF_TRACE_HEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/kernel/kernel.h"
#include "options.h"
#include "probe/sites/leftovers.h"

struct heal_request {
	const struct target *target;
	const struct kernel *kernel;
	uint64_t budget_ns;   /* what is not begun by then is left */
	bool sets_semaphores; /* also those that nothing holds: two bytes of the process are written for each */
};

struct healed {
	size_t breakpoints, semaphores; /* taken away, and set right */
	const char *why;		/* nothing was tried; NULL: it was */
	size_t refused;			/* sites on which the kernel put no probe in the last round */
	int err;			/* of one of them */
	bool is_late;			/* there was no time left to try the others */
};

/* `left` is what was found, and afterwards what there still is. 0 or -errno. */
int heal(const struct heal_request *request, struct leftovers *left, struct healed *healed);

/*
 * For who traces on and on: the nodes that the options mean and that run now; and from now on heal_found() mends those
 * that are found later. The kernel outlives this.
 */
void heal_nodes(const struct options *options, const struct kernel *kernel);
void heal_no_more(void);

/*
 * Mends a node that is about to get its probes, once, if nodes are to be mended, and says what was done. Who waits for
 * an answer of this thread is answered meanwhile (base/process/yield.h).
 */
void heal_found(const struct target *target);

#endif
