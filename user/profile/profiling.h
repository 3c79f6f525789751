/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a profile: samples nodes for a time, then names the samples. */
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
	PROFILING_OFF,	/* time off CPU */
	PROFILING_WALL, /* both */
	PROFILING_EVENTS,
};

/* With PROFILING_EVENTS: the event. */
struct profiling_events {
	enum event_weight weight;
	const char *probe;			  /* NULL: the default of the weight */
	unsigned int argument;			  /* with EVENT_ARGUMENT */
	const struct function_request *functions; /* with EVENT_CALLS */
	const char *option;			  /* in words for messages */
	const char *title, *unit;
};

struct profiling_request {
	enum profiling_mode mode;
	const struct kernel *kernel;
	const struct target_list *targets;
	const struct options *nodes; /* options that select nodes */
	unsigned int frequency;	     /* Hz, on each CPU */
	uint64_t duration_ns;	     /* 0: until a signal */
	double share;		     /* limit of the overhead, as a share of the nodes' CPU time; 0: none */
	uint64_t process;	     /* only this process of each node (an id of bpf/erl.h); 0: all */
	struct profiling_events events;
	struct stack_merge_request join;
	struct name_style style;
	size_t stacks;	     /* number of stacks kept, see sampler.h; 0: default */
	bool follows;	     /* include nodes that start later */
	struct child *child; /* the stopped process of -c: only its nodes are profiled, it continues when all is ready,
				and the profile ends with it; NULL: none */
	const struct unprivileged *gives_up; /* called when ready; NULL: none */
	int stop;			     /* the profile ends when it is readable; 0: only by a signal */
};

struct profiling_summary {
	uint64_t samples, lost, idle, others; /* samples of nodes; of idle CPUs or other processes */
	uint64_t filtered;		      /* samples of processes or functions that were not selected */
	uint64_t duration_ns;
	uint64_t used_ns; /* CPU time of the nodes during the profile, from the kernel */
	struct stack_merge_counts counts;
	uint64_t off_lost;     /* weights lost because there was no room */
	uint64_t events;       /* that counted */
	uint64_t events_lost;  /* waits lost because there was no room */
	uint64_t unknown_base; /* collections whose off-heap memory before is unknown */
	double probed_part;    /* share of the time in which probes were attached */
	size_t nodes;	       /* nodes in the profile */
	uint64_t nodes_beyond; /* nodes that started beyond the limit */
};

/* The reason why this kernel does not support profiles, or NULL. */
const char *profiling_refusal(const struct kernel *kernel);

/* The profile, in nanoseconds; the caller frees it. NULL and errno; most errors are printed. */
struct profile *profiling_run(const struct profiling_request *request, struct profiling_summary *summary);

#endif
