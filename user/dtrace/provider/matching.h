/* SPDX-License-Identifier: BSD-2-Clause */
/* Matching of probe descriptions. */
#ifndef ERLBPF_DTRACE_PROVIDER_MATCHING_H
#define ERLBPF_DTRACE_PROVIDER_MATCHING_H

#include <stdbool.h>
#include <sys/types.h>

#include "dtrace/provider/probes.h"

/* An empty field matches everything. */
bool glob_matches(const char *glob, const char *text);
bool glob_is_open(const char *glob); /* can match more than one name */

/* "pid1234" with that prefix: 1234; otherwise 0. */
pid_t provider_pid_of(const char *provider, const char *prefix);
/* "erlang0": $target without -p and -c. */
bool provider_is_nobody(const char *provider, const char *prefix);

/* True if the description matches these names. The provider "erlang" means any "erlangPID". */
bool spec_matches_names(const struct probe_spec *spec, const struct probe_names *names);

/* The same for a probe, also by aliases of its file ("a.out", "libc"). */
bool spec_matches_probe(const struct probe_spec *spec, const struct d_probe *probe);

/* nearest.c: a suggestion for a description that matches nothing. */

#define NEAREST_SIZE 512

/*
 * The description with one of its names replaced, "erlang*:::message-send", in `buf` of NEAREST_SIZE; "" if none is
 * similar. Lists all probes. Returns buf.
 */
const char *probes_nearest(struct probes *probes, const struct probe_spec *spec, char *buf);

/* The same as text: "did you mean ...?" */
const char *probes_did_you_mean(struct probes *probes, const struct probe_spec *spec, char *buf);

/*
 * old_names.c: probe names of OTP's first scripts that no current VM has. A description of the provider erlang with
 * such a name matches the probes that replace it; `-lv` shows this.
 */

/* True if the old name means the probe with that name. False if it is no old name. */
bool old_name_means(const char *old, const char *name);

/* The replacement of an old name, as text; NULL: not an old name. */
const char *old_name_why(const char *old);

/* How to trace Erlang functions with the JIT instead of by an interpreter probe; NULL: another probe. */
const char *old_name_hint(const char *name);

/* D code that must run for a description with that name; NULL: none. */
const char *old_name_helper(const char *old);

#endif
