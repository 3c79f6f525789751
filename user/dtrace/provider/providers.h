/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of all providers, and what is asked of them all. One file per provider: NAME.c. */
#ifndef ERLBPF_DTRACE_PROVIDER_PROVIDERS_H
#define ERLBPF_DTRACE_PROVIDER_PROVIDERS_H

#include "dtrace/provider/probes.h"

/*
 * Every probe that the description matches, in the order of their ids; `visit` may be NULL. How many, or
 * -errno. When there are none, *why may say more than that ("" if not); in the probes' own memory.
 */
int probes_match(struct probes *probes, const struct probe_spec *spec,
		 void (*visit)(void *data, const struct d_probe *probe), void *data, const char **why);

/* All that always are, and all of the BEAMs that run: -l. */
int probes_list(struct probes *probes, void (*visit)(void *data, const struct d_probe *probe), void *data);

#endif
