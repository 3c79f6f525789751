/* SPDX-License-Identifier: BSD-2-Clause */
/* All providers, and operations on all of them. One file per provider: NAME.c. */
#ifndef ERLBPF_DTRACE_PROVIDER_PROVIDERS_H
#define ERLBPF_DTRACE_PROVIDER_PROVIDERS_H

#include "d/lang/unit.h"
#include "dtrace/provider/probes.h"

/*
 * Finds every matching probe, in the order of ids; `visit` may be NULL. Returns their number, or -errno. If there are
 * none, *why is the reason ("" if unknown); the probes own it.
 */
int probes_match(struct probes *probes, const struct probe_spec *spec,
		 void (*visit)(void *data, const struct d_probe *probe), void *data, const char **why);

/* True if the description can match what a process loads later: a library, a NIF, a driver. */
bool probes_may_load(const struct probe_spec *spec);

/*
 * Scans the process, or with 0 all, for newly loaded files; then adds the matching probes: -ENOSPC if there are too
 * many. 0 or -errno.
 */
int probes_look_again(struct probes *probes, pid_t pid);
int probes_match_loaded(struct probes *probes, const struct probe_spec *spec, pid_t pid);

/*
 * A numeric description becomes the names of the probe with that id in probes_list(). Call it before any matching,
 * because ids follow the order in which probes are found. An unknown id matches nothing, and is an error unless zero_ok
 * is set. False: unit->diag has errors.
 */
bool probes_name_ids(struct probes *probes, struct unit *unit, bool zero_ok);

/* All permanent probes, and all of running BEAMs: -l. */
int probes_list(struct probes *probes, void (*visit)(void *data, const struct d_probe *probe), void *data);

#endif
