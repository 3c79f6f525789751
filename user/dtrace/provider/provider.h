/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of a provider, and the functions that it can call. */
#ifndef ERLBPF_DTRACE_PROVIDER_PROVIDER_H
#define ERLBPF_DTRACE_PROVIDER_PROVIDER_H

#include "dtrace/provider/probes.h"

struct provider {
	/* Adds the probes that the description matches. 0 or -errno; -ENOENT, with a reason: no match. */
	int (*discover)(struct probes *probes, const struct probe_spec *spec);
	/* Adds the probes that always exist. */
	int (*list)(struct probes *probes);
	/* True if the description can match files that processes load later. NULL: never. */
	bool (*may_load)(const struct probe_spec *spec);
	/* Scans the process, or with 0 all, for newly loaded files; NULL: not needed. 0 or -errno. */
	int (*look_again)(struct probes *probes, pid_t pid);
	/* Adds the matching probes from that scan. 0 or -errno. */
	int (*discover_loaded)(struct probes *probes, const struct probe_spec *spec, pid_t pid);
};

enum provider_id { PROVIDER_TIMER, PROVIDER_SYSTEM, PROVIDER_ERLANG, PROVIDER_PID, PROVIDER_USDT, PROVIDERS };

extern const struct provider provider_timer, provider_system, provider_erlang, provider_pid, provider_usdt;

/* Adds a probe unless it exists. Copies its texts and assigns an id. NULL: out of memory or numbers. */
struct d_probe *probes_add(struct probes *probes, const struct d_probe *probe);

/* A number for a name: the same for equal names, 0 if there are too many. */
uint32_t probes_number(struct probes *probes, const char *text);

/*
 * A held command has no mapped files yet: runs it to its first instruction. 0 if the process is not the command;
 * -errno, reported.
 */
int probes_enter_child(struct probes *probes, pid_t pid);

/* Data of a provider; NULL at first. `end` frees it with the probes. */
void *probes_kept(const struct probes *probes, enum provider_id id);
void probes_keep(struct probes *probes, enum provider_id id, void *data, void (*end)(void *data));

/* Clears the reason of an earlier search. */
void probes_begin_search(struct probes *probes);

/* Sets the reason, as text; the last call counts. */
__attribute__((format(printf, 2, 3))) void probes_explain(struct probes *probes, const char *format, ...);
/* The same, with another tag than D_PDESC_ZERO. */
__attribute__((format(printf, 3, 4))) void probes_refuse(struct probes *probes, const char *tag, const char *format,
							 ...);
#endif
