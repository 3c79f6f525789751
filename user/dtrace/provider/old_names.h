/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of probes that OTP had when its first scripts were written, and that no VM has any longer. A description
 * of the provider erlang with such a name means the probes that answer for it, and says so in `-lv`.
 */
#ifndef ERLBPF_DTRACE_PROVIDER_OLD_NAMES_H
#define ERLBPF_DTRACE_PROVIDER_OLD_NAMES_H

#include <stdbool.h>

/* Does the old name mean the probe of that name? No, if it is no old name. */
bool old_name_means(const char *old, const char *name);

/* What answers for an old name, for people; NULL: it is none. */
const char *old_name_why(const char *old);

/* What sees Erlang functions under the JIT in place of a probe that only the interpreter has; NULL: another probe. */
const char *old_name_hint(const char *name);

/* What has to run beside the clauses of a program that has such a description, in D; NULL: nothing. */
const char *old_name_helper(const char *old);

#endif
