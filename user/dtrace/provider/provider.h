/* SPDX-License-Identifier: BSD-2-Clause */
/* What a provider is, and what it has of the collection that it adds its probes to. */
#ifndef ERLBPF_DTRACE_PROVIDER_PROVIDER_H
#define ERLBPF_DTRACE_PROVIDER_PROVIDER_H

#include "dtrace/provider/probes.h"

struct provider {
	/* Add what the description matches. 0 or -errno; -ENOENT, explained: it matches nothing. */
	int (*discover)(struct probes *probes, const struct probe_spec *spec);
	/* Add what there is without anyone asking for it. */
	int (*list)(struct probes *probes);
	/* May the description mean something that a process loads later? NULL: no. */
	bool (*may_load)(const struct probe_spec *spec);
	/* The process, or with 0 all, may have loaded something; NULL: nothing is kept of it. 0 or -errno. */
	int (*look_again)(struct probes *probes, pid_t pid);
	/* Add what that look has found, and the description matches. 0 or -errno. */
	int (*discover_loaded)(struct probes *probes, const struct probe_spec *spec, pid_t pid);
};

enum provider_id { PROVIDER_TIMER, PROVIDER_SYSTEM, PROVIDER_ERLANG, PROVIDER_PID, PROVIDER_USDT, PROVIDERS };

extern const struct provider provider_timer, provider_system, provider_erlang, provider_pid, provider_usdt;

/*
 * Add a probe, unless it is there. Its texts are copied, an id is given to it. NULL if memory is short or
 * the numbers are used up.
 */
struct d_probe *probes_add(struct probes *probes, const struct d_probe *probe);

/* A number for what is called so: the same for the same text, 0 if there are too many. */
uint32_t probes_number(struct probes *probes, const char *text);

/*
 * A command that is held has mapped nothing of its own yet: it goes to its first instruction first. 0 if the process
 * is not that of the command; -errno, explained.
 */
int probes_enter_child(struct probes *probes, pid_t pid);

/* What a provider keeps; NULL at first. `end` frees it with the probes. */
void *probes_kept(const struct probes *probes, enum provider_id id);
void probes_keep(struct probes *probes, enum provider_id id, void *data, void (*end)(void *data));

/* Forget why an earlier search found nothing. */
void probes_begin_search(struct probes *probes);

/* Why nothing was found, for people; the last that is said counts. */
__attribute__((format(printf, 2, 3))) void probes_explain(struct probes *probes, const char *format, ...);
/* The same, with another tag than that of a description that matches nothing. */
__attribute__((format(printf, 3, 4))) void probes_refuse(struct probes *probes, const char *tag, const char *format,
							 ...);
#endif
