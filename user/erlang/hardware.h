/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug registers on the Erlang functions that the user names (load/kernel/debug_registers.h): an event for each thread
 * of a node and each function, at the function's first instruction. Threads that start later get theirs soon, and so do
 * functions that are loaded again, elsewhere.
 */
#ifndef ERLBPF_ERLANG_HARDWARE_H
#define ERLBPF_ERLANG_HARDWARE_H

#include <stdbool.h>

#include "erl.h"
#include "load/kernel/kernel.h"
#include "erlang/breakpoints.h"

struct hardware;
struct naming;

/* Who knows the process, and what programs are to know of it. */
struct hardware_place {
	const struct target *target;
	const struct kernel *kernel;
	struct naming *naming; /* NULL: names are not known */
	const struct erl_pid_layout *pids;
	const struct erl_name_layout *names;
	bool is_new;	/* the node has just started: its code may come */
	bool is_paused; /* only prepare it */
};

/*
 * The request, and what the place names, must outlive it. NULL and errno: the reason is in `why` of BREAKPOINTS_WHY,
 * hostile.
 */
struct hardware *hardware_set(const struct hardware_place *place, const struct breakpoints_request *request, char *why);

/* Frees the registers; NULL is fine. */
void hardware_free(struct hardware *hardware);

/* Readable when it is time to look at the node's threads and code, which hardware_look() does. */
int hardware_fd(const struct hardware *hardware);

/* False: the functions are called too often, which the user is told. */
bool hardware_look(struct hardware *hardware);

/* Let the registers go, and take them back. 0 or -errno. */
void hardware_pause(struct hardware *hardware);
int hardware_resume(struct hardware *hardware);

#endif
