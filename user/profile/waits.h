/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds what bpf/off-cpu.bpf.c cannot: after each window, the time of processes that still wait, and the whole window
 * for processes that neither began nor ended a wait. The latter are found in the node's memory (off_scheduler.h) and
 * count only if they run at some time of the profile, or are selected.
 */
#ifndef ERLBPF_PROFILE_WAITS_H
#define ERLBPF_PROFILE_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/probing.h"

struct waits_request {
	const struct probing *probing; /* borrowed */
	bool by_process, takes_gc;
	uint64_t process; /* only this process (an id); 0: all */
};

struct waits;

/* NULL and errno. */
struct waits *waits_new(const struct waits_request *request);
void waits_free(struct waits *waits); /* NULL-safe */

/*
 * All probes are attached. Forgets earlier states: probes are attached one after the other, so an event may be missing.
 */
void waits_begin(struct waits *waits);

/*
 * The window has ended, and programs do not run. Reads processes without an event, now or after a later window. The
 * last window may have length 0; it still shows which processes have run since the one before.
 */
void waits_end_window(struct waits *waits, uint64_t from_ns, uint64_t to_ns, bool is_last);

/* Adds what was found for the stack of that key. */
void waits_add_to(const struct waits *waits, uint64_t key, struct kept_stack *stack);

#endif
