/* SPDX-License-Identifier: BSD-2-Clause */
/* What the arguments of a probe are, as `-lv` says it. */
#ifndef ERLBPF_DTRACE_PROVIDER_ARGUMENTS_H
#define ERLBPF_DTRACE_PROVIDER_ARGUMENTS_H

#include "dtrace/provider/probes.h"

#define ARGUMENT_TYPE_SIZE 64

/* The type in C of args[n], in `buf` or a constant. NULL: there are no more, or nothing is known of them. */
const char *probe_argument_type(const struct d_probe *probe, int n, char buf[ARGUMENT_TYPE_SIZE]);

/* How many arguments it has; -1: that is not known. */
int probe_argument_count(const struct d_probe *probe);

#endif
