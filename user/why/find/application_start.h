/* SPDX-License-Identifier: BSD-2-Clause */
/* What the start of an application waits for. */
#ifndef ERLBPF_WHY_FIND_APPLICATION_START_H
#define ERLBPF_WHY_FIND_APPLICATION_START_H

#include "node/processes/processes.h"
#include "why/source/signs.h"
#include "why/processes/process_trends.h"

/* Who is being started last, if an application's start has done nothing all the time (signs->waits.start). */
void application_start_finish(struct processes *processes, const struct trends *trends, struct signs *signs);

#endif
