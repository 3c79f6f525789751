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

/* nearest.c: a suggestion for a description that matches nothing. */

#define NEAREST_SIZE 512

/*
 * The description with one of its names replaced, "erlang*:::message-send", into `buf` of NEAREST_SIZE; "" if none is
 * near. All probes are listed for it. Returns buf.
 */
const char *probes_nearest(struct probes *probes, const struct probe_spec *spec, char *buf);

/* The same as the reason why a description matches nothing: "did you mean ...?" */
const char *probes_did_you_mean(struct probes *probes, const struct probe_spec *spec, char *buf);

/*
 * Names of probes that OTP had when its first scripts were written, and that no VM has any longer. A description
 * of the provider erlang with such a name means the probes that answer for it, and says so in `-lv`.
 */

/* Does the old name mean the probe of that name? No, if it is no old name. */
bool old_name_means(const char *old, const char *name);

/* What answers for an old name, for people; NULL: it is none. */
const char *old_name_why(const char *old);

/* What sees Erlang functions under the JIT in place of a probe that only the interpreter has; NULL: another probe. */
const char *old_name_hint(const char *name);

/* What has to run beside the clauses of a program that has such a description, in D; NULL: nothing. */
const char *old_name_helper(const char *old);

#endif
