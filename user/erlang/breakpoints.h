/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakpoints of the VM on the Erlang functions that the user names: which these are, and who holds them
 * (dist/watchdog.h). */
#ifndef ERLBPF_ERLANG_BREAKPOINTS_H
#define ERLBPF_ERLANG_BREAKPOINTS_H

#include "load/load.h"
#include "options.h"
#include "target/target.h"

struct breakpoints;

struct breakpoints_request {
	const char *const *globs; /* of functions, BREAKPOINTS_GLOBS at most */
	size_t glob_count;
	/* Is the glob about this node? NULL: all are. */
	bool (*is_about)(const void *data, size_t glob, const struct target *target);
	const void *data;
	const char *cookie_file;
	uint64_t call_limit;
	char *const *atoms;    /* of its steps, FUNCTIONS_STEPS of them: see struct options; NULL: there are none */
	struct loader *loader; /* whose programs are told which functions these are, */
	const char *map;       /* by this map: struct functions_key to a bit for each glob */
	bool entry_only;       /* returns are not asked for */
	bool counts_looked;    /* that map also has how many calls they looked at: struct functions_wanted */
	bool counts_only;      /* nothing but how often they are called: without any probe */
	bool is_paced;	       /* they are paused most of the time if there is much to measure */
	bool is_hardware;      /* by debug registers (hardware.h), of which there are few */
	bool may_lack;	       /* a node that has none of the functions, or starts later, keeps its other probes */
	const char *limit_option, *cookie_option; /* as the user knows them */
};

#define BREAKPOINTS_GLOBS 64
#define BREAKPOINTS_WHY 512

/* Has the node code of a function that the glob matches? 0 or -errno: the reason is in `why`, hostile. */
int breakpoints_find(const struct target *target, const char *glob, char *why);

/* NULL and errno: the reason is in `why`, hostile, and nothing has changed. ENOENT: it has none of the functions. */
struct breakpoints *breakpoints_set(const struct target *target, const struct breakpoints_request *request, char *why);

/* Removes them; what was called stays known. NULL is fine. */
void breakpoints_end(struct breakpoints *breakpoints);
void breakpoints_free(struct breakpoints *breakpoints);

/* They are there, as far as is known; false of NULL. */
bool breakpoints_are_set(const struct breakpoints *breakpoints);

/*
 * While nobody looks, the VM only counts calls, unless they are so many that it would take too long to switch that. The
 * node does so when it gets to it, and to go on is waited for: 0 or -errno.
 */
void breakpoints_pause(struct breakpoints *breakpoints);
int breakpoints_resume(struct breakpoints *breakpoints);

/* How often a function was called in an interval. */
struct breakpoints_called {
	uint64_t id;				 /* of the function, as programs have it */
	uint64_t calls;				 /* as the VM counts them: all, also those of the watchdog */
	uint64_t looked;			 /* of those that count for programs, in the windows of the interval */
	uint64_t calls_before, looked_before[2]; /* in all; by generation */
};

/*
 * An interval is over, in which programs have counted in this generation: ask the node, if the breakpoints are still
 * there. What was called in it, by function, is the callee's.
 */
const struct breakpoints_called *breakpoints_turn(struct breakpoints *breakpoints, uint32_t generation, size_t *count);

/* All calls of all functions, up to what the node has said last. */
uint64_t breakpoints_calls(const struct breakpoints *breakpoints);

/* Readable when the node has something to say, which breakpoints_hear() tells the user. */
int breakpoints_fd(const struct breakpoints *breakpoints);

/* False: they are gone, and there is nothing more to hear. */
bool breakpoints_hear(struct breakpoints *breakpoints, const struct target *target);

#endif
