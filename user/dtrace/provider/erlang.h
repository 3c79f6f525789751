/* SPDX-License-Identifier: BSD-2-Clause */
/* What only the provider erlang has: VMs that start later have its probes, too. */
#ifndef ERLBPF_DTRACE_PROVIDER_ERLANG_H
#define ERLBPF_DTRACE_PROVIDER_ERLANG_H

#include "dtrace/provider/probes.h"

struct site;
struct target;

/*
 * The probe of a site of the provider erlang, on a process that may have started since; sets the site's
 * function, if it has none. NULL if memory is short.
 */
const struct d_probe *erlang_probe_of_site(struct probes *probes, const struct target *target, struct site *site);

/* Is it a description of probes that the catalogue has, whether or not a VM here has them? */
bool erlang_is_known(const struct probe_spec *spec);
/* The most arguments that one of them has; -1: there are none. */
int erlang_arguments(const struct probe_spec *spec);

/* How many probes that the description matches can a process have that starts later, or is a command's? 0: none. */
size_t erlang_may_come(const struct probes *probes, const struct probe_spec *spec);

/*
 * The names of probes of an application, "app1234:::NAME", which the description means and nodes are known to have
 * before they fire. 0 or -errno.
 */
int erlang_declared(struct probes *probes, const struct probe_spec *spec,
		    void (*visit)(void *data, const struct probe_names *names), void *data);

#endif
