/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of processes at probes, see bpf/events.bpf.c. */
#ifndef ERLBPF_PROFILE_EVENTS_H
#define ERLBPF_PROFILE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "load/kernel/kernel.h"
#include "options.h"
#include "profile.h"

struct events_request {
	const struct kernel *kernel;
	const struct options *nodes; /* selects nodes; borrowed */
	enum event_weight weight;
	const char *probe; /* glob of the probes that are counted, or whose argument is the weight; NULL: the default of
			      the weight */
	unsigned int argument;			  /* with EVENT_ARGUMENT */
	const struct function_request *functions; /* with EVENT_CALLS; borrowed */
	const char *option;			  /* in words for messages */
	bool by_process;
	uint64_t process; /* only this process of each node (an id of bpf/erl.h); 0: all */
	double share;	  /* limit of the overhead, as a share of the nodes' CPU time; 0: none */
};

struct events;

/* Loads the programs without attaching them. NULL and errno; the error is printed. */
struct events *events_new(const struct events_request *request);
void events_free(struct events *events); /* NULL-safe */

/* Attaches and detaches the probes; owned by the events. */
struct probing *events_probing(const struct events *events);

/* Calls `visit` for each stack with a weight, since the start. 0 or -errno. */
typedef void events_visitor(void *data, const struct sample_stack *stack, uint64_t weight);
int events_read(const struct events *events, events_visitor *visit, void *data);

/*
 * The name of the lock that a stack waits for, untrusted; "": no name. `node` is an erl_os_id() of bpf/erl.h. Valid as
 * long as the events. Reads the node's memory, so call it while the node runs.
 */
const char *events_lock(struct events *events, uint32_t os_id, const struct sample_stack *stack);

/* By enum event_total. */
uint64_t events_total(const struct events *events, enum event_total total);

#endif
