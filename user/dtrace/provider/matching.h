/* SPDX-License-Identifier: BSD-2-Clause */
/* Which names a probe description means. */
#ifndef ERLBPF_DTRACE_PROVIDER_MATCHING_H
#define ERLBPF_DTRACE_PROVIDER_MATCHING_H

#include <stdbool.h>
#include <sys/types.h>

#include "dtrace/provider/probes.h"

/* An empty field matches everything. */
bool glob_matches(const char *glob, const char *text);
bool glob_is_open(const char *glob); /* may mean more than one name */

/* "pid1234" with that prefix: 1234; else 0. */
pid_t provider_pid_of(const char *provider, const char *prefix);
/* "erlang0": what $target is without -p and -c. */
bool provider_is_nobody(const char *provider, const char *prefix);

/* Does the description match these names? "erlang" as a provider is any "erlangPID". */
bool spec_matches_names(const struct probe_spec *spec, const struct probe_names *names);

/* The same of a probe, which may be found by other names of its file ("a.out", "libc"). */
bool spec_matches_probe(const struct probe_spec *spec, const struct d_probe *probe);

#endif
