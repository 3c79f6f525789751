/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What bpf/off-cpu.bpf.c cannot add to stacks by itself: when a window is over in which the probes were in place, the
 * time up to then of who still waits; and of who neither began to wait nor ended it then, that of the whole window. The
 * latter is found in the node's memory (off_scheduler.h), and only counts of processes that run at some time of the
 * profile, or are asked for.
 */
#ifndef ERLBPF_PROFILE_WAITS_H
#define ERLBPF_PROFILE_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/probing.h"

struct waits_request {
	const struct probing *probing; /* it must outlive it */
	bool by_process, takes_gc;
	uint64_t process; /* only this one, an id; 0: all */
};

struct waits;

/* NULL and errno. */
struct waits *waits_new(const struct waits_request *request);
void waits_free(struct waits *waits); /* NULL-safe */

/* All probes are in place. What is known from before is forgotten: of one that was picked it may not be known that it
 * was let go, as the probes were put in place one after the other. */
void waits_begin(struct waits *waits);

/*
 * The programs are not at work any more. Those that were neither let go nor picked are looked at, too: all of them, now
 * or after a later window; of which a profile whose probes were never taken away has none that runs but who is on a
 * dirty scheduler. The last window may have no length: it is still seen who has run since the one before.
 */
void waits_end_window(struct waits *waits, uint64_t from_ns, uint64_t to_ns, bool is_last);

/* Adds to the weights of the stack of that key what was found of it. */
void waits_add_to(const struct waits *waits, uint64_t key, struct kept_stack *stack);

#endif
