/* SPDX-License-Identifier: BSD-2-Clause */
/* From where processes do what probes tell of: see bpf/events.bpf.c. */
#ifndef ERLBPF_PROFILE_EVENTS_H
#define ERLBPF_PROFILE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "load/kernel/kernel.h"
#include "options.h"
#include "profile.h"

struct events_request {
	const struct kernel *kernel;
	const struct options *nodes; /* which nodes are meant; it must outlive it */
	enum event_weight weight;
	const char *probe;     /* a glob, of those that are counted, or whose argument is the weight; NULL: that of the
				  weight */
	unsigned int argument; /* with EVENT_ARGUMENT */
	const struct function_request *functions; /* with EVENT_CALLS; it must outlive it */
	const char *option;			  /* as the user knows it */
	bool by_process;
	uint64_t process; /* only this one of each node (an id of bpf/erl.h); 0: all */
	double share;	  /* of the nodes' time that hits may cost; 0: any */
};

struct events;

/* Loaded, and no probe is put anywhere. NULL and errno, with the reason printed. */
struct events *events_new(const struct events_request *request);
void events_free(struct events *events); /* NULL-safe */

/* What puts the probes and takes them away: the events' own. */
struct probing *events_probing(const struct events *events);

/* Calls `visit` for each stack with some weight, of the whole time. 0 or -errno. */
typedef void events_visitor(void *data, const struct sample_stack *stack, uint64_t weight);
int events_read(const struct events *events, events_visitor *visit, void *data);

/*
 * What the lock is called that a stack of the node with this erl_os_id() (bpf/erl.h) waits for, hostile; "": it has no
 * name. It stays valid as long as the events. What needs the node's memory is to be asked while it lives.
 */
const char *events_lock(struct events *events, uint32_t os_id, const struct sample_stack *stack);

/* By enum event_total. */
uint64_t events_total(const struct events *events, enum event_total total);

#endif
