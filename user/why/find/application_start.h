/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that the start of an application waits for. */
#ifndef ERLBPF_WHY_FIND_APPLICATION_START_H
#define ERLBPF_WHY_FIND_APPLICATION_START_H

#include "node/processes/processes.h"
#include "why/source/signs.h"
#include "why/processes/process_trends.h"

/* Fills signs->waits.started, if the start of an application was idle all the time (signs->waits.start). */
void application_start_finish(struct processes *processes, const struct trends *trends, struct signs *signs);

#endif
