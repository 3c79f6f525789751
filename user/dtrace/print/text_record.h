/* SPDX-License-Identifier: BSD-2-Clause */
/* A record as text: a line in front, unless quiet, then what each action recorded, in order. */
#ifndef ERLBPF_DTRACE_PRINT_TEXT_RECORD_H
#define ERLBPF_DTRACE_PRINT_TEXT_RECORD_H

#include "dtrace/print/consumer.h"

/* The CPU, the id of the probe and its name; with -F, how deep it is. */
void text_front(struct consumer *consumer, const struct record *record);

/* What an action that prints has recorded. 0 or -errno. */
int text_action(struct consumer *consumer, const struct record *record, const struct action *action);

#endif
