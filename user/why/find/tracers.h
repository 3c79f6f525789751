/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that others are traced to. */
#ifndef ERLBPF_WHY_FIND_TRACERS_H
#define ERLBPF_WHY_FIND_TRACERS_H

#include "node/processes/processes.h"
#include "why/source/signs.h"

/* Into the signs, which have mailboxes and who works most: tracer. */
void tracer_finish(struct processes *processes, struct signs *signs);

#endif
