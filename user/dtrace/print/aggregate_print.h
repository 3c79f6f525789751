/* SPDX-License-Identifier: BSD-2-Clause */
/* Aggregations as text: a snapshot, sorted as the options ask, printed by itself or through a format. */
#ifndef ERLBPF_DTRACE_PRINT_AGGREGATE_PRINT_H
#define ERLBPF_DTRACE_PRINT_AGGREGATE_PRINT_H

#include "dtrace/print/aggregate.h"

/* printa(): by a format, or without one in the default layout. 0 or -errno. */
int aggregates_printa(const struct aggregates *aggregates, const struct print *print, const struct action *action);

/* All that no printa() has printed. 0 or -errno. */
int aggregates_print_rest(const struct aggregates *aggregates, const struct print *print);

#endif
