/* SPDX-License-Identifier: BSD-2-Clause */
/* Specific to the provider erlang: VMs that start later have its probes, too. */
#ifndef ERLBPF_DTRACE_PROVIDER_ERLANG_H
#define ERLBPF_DTRACE_PROVIDER_ERLANG_H

#include "dtrace/provider/probes.h"

struct site;
struct target;

/*
 * The probe for a site of the provider erlang, on a process that may be new; sets the function of the site if unset.
 * NULL: out of memory.
 */
const struct d_probe *erlang_probe_of_site(struct probes *probes, const struct target *target, struct site *site);

/* True if the catalogue has matching probes, whether or not a VM has them. */
bool erlang_is_known(const struct probe_spec *spec);
/* The maximum number of their arguments; -1: none. */
int erlang_arguments(const struct probe_spec *spec);

/* The number of matching probes in a process that starts later, or in a command. 0: none. */
size_t erlang_may_come(const struct probes *probes, const struct probe_spec *spec);

/*
 * Adds probes of applications, "app1234:::NAME", that match the description and that nodes list before they fire. 0 or
 * -errno.
 */
int erlang_declared(struct probes *probes, const struct probe_spec *spec,
		    void (*visit)(void *data, const struct probe_names *names), void *data);

#endif
