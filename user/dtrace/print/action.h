/* SPDX-License-Identifier: BSD-2-Clause */
/* What actions do here besides printing: to files, commands, options, aggregations. */
#ifndef ERLBPF_DTRACE_PRINT_ACTION_H
#define ERLBPF_DTRACE_PRINT_ACTION_H

#include "dtrace/print/consumer.h"

/* Nothing, of an action that only prints or ends a speculation. 0 or -errno. */
int action_do(struct consumer *consumer, const struct record *record, const struct action *action);

#endif
