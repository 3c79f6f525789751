/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of probes, for `-lv`. */
#ifndef ERLBPF_DTRACE_PROVIDER_ARGUMENTS_H
#define ERLBPF_DTRACE_PROVIDER_ARGUMENTS_H

#include "dtrace/provider/probes.h"

#define ARGUMENT_TYPE_SIZE 64

/* The C type of args[n], in `buf` or a constant. NULL: no more arguments, or unknown. */
const char *probe_argument_type(const struct d_probe *probe, int n, char buf[ARGUMENT_TYPE_SIZE]);

/* The number of arguments; -1: unknown. */
int probe_argument_count(const struct d_probe *probe);

#endif
