/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile from beginning to end: nodes are sampled for a time, then all that was sampled gets names. */
#ifndef ERLBPF_PROFILE_PROFILING_H
#define ERLBPF_PROFILE_PROFILING_H

#include <stdint.h>

#include "flame/profile.h"
#include "load/kernel/kernel.h"
#include "node/atoms/spelling.h"
#include "profile/stack_merge.h"
#include "trace/child.h"
#include "run/unprivileged.h"
#include "target/target.h"

/* What is shown. */
enum profiling_mode {
	PROFILING_CPU,	/* processor time */
	PROFILING_OFF,	/* how long processes do not run */
	PROFILING_WALL, /* both */
	PROFILING_EVENTS,
};

/* With PROFILING_EVENTS: what is counted. */
struct profiling_events {
	enum event_weight weight;
	const char *probe;			  /* NULL: that of the weight */
	unsigned int argument;			  /* with EVENT_ARGUMENT */
	const struct function_request *functions; /* with EVENT_CALLS */
	const char *option;			  /* as the user knows it */
	const char *title, *unit;
};

struct profiling_request {
	enum profiling_mode mode;
	const struct kernel *kernel;
	const struct target_list *targets;
	const struct options *nodes; /* by which they were chosen */
	unsigned int frequency;	     /* Hz, on each CPU */
	uint64_t duration_ns;	     /* 0: until a signal comes */
	double share;		     /* of the nodes' time that probes may cost; 0: any */
	uint64_t process;	     /* of each node only this one (an id of bpf/erl.h); 0: all */
	struct profiling_events events;
	struct stack_merge_request join;
	struct name_style style;
	size_t stacks;	     /* that are kept, see sampler.h; 0: the usual number */
	bool follows;	     /* nodes that start later are part of it */
	struct child *child; /* of -c, held: only its nodes are, it is let go when all is ready, and the profile ends
				with it; NULL: there is none */
	const struct unprivileged *gives_up; /* when all is in place; NULL: nothing */
	int stop;			     /* when this is readable, it ends; 0: only a signal ends it */
};

struct profiling_summary {
	uint64_t samples, lost, idle, others; /* of the nodes; of CPUs with nothing to do, or something else */
	uint64_t filtered;		      /* of processes or functions that nobody asked for */
	uint64_t duration_ns;
	uint64_t used_ns; /* processor time of the nodes meanwhile, as the kernel accounts for it */
	struct stack_merge_counts counts;
	uint64_t off_lost;     /* times for which there was no room */
	uint64_t events;       /* that counted */
	uint64_t events_lost;  /* ... that would have, and for which there was no room */
	uint64_t unknown_base; /* collections without what was made before them outside of the heap */
	double probed_part;    /* of the time in which probes were on; 1: all */
	size_t nodes;	       /* that were part of it */
	uint64_t nodes_beyond; /* ... that started when there was no room for more */
};

/* Why there are no profiles on this kernel, or NULL. */
const char *profiling_refusal(const struct kernel *kernel);

/*
 * The profile, whose weights are nanoseconds; the caller frees it. NULL and errno, and most of what
 * can be wrong was explained.
 */
struct profile *profiling_run(const struct profiling_request *request, struct profiling_summary *summary);

#endif
