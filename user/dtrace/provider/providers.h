/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of all providers, and what is asked of them all. One file per provider: NAME.c. */
#ifndef ERLBPF_DTRACE_PROVIDER_PROVIDERS_H
#define ERLBPF_DTRACE_PROVIDER_PROVIDERS_H

#include "d/lang/unit.h"
#include "dtrace/provider/probes.h"

/*
 * Every probe that the description matches, in the order of their ids; `visit` may be NULL. How many, or
 * -errno. When there are none, *why may say more than that ("" if not); in the probes' own memory.
 */
int probes_match(struct probes *probes, const struct probe_spec *spec,
		 void (*visit)(void *data, const struct d_probe *probe), void *data, const char **why);

/* May the description mean what a process loads later: a library, a NIF, a driver? */
bool probes_may_load(const struct probe_spec *spec);

/*
 * The process, or with 0 all, may have loaded something. Then add what was loaded, and a description matches: -ENOSPC
 * if there was more than is possible. 0 or -errno.
 */
int probes_look_again(struct probes *probes, pid_t pid);
int probes_match_loaded(struct probes *probes, const struct probe_spec *spec, pid_t pid);

/*
 * A description that is a number becomes the names of the probe that probes_list() gives that id. Before any
 * description is matched, because ids follow the order in which probes are found. One whose id no probe has stays, and
 * matches nothing; it is an error, unless zero_ok. False: unit->diag has errors.
 */
bool probes_name_ids(struct probes *probes, struct unit *unit, bool zero_ok);

/* All that always are, and all of the BEAMs that run: -l. */
int probes_list(struct probes *probes, void (*visit)(void *data, const struct d_probe *probe), void *data);

#endif
