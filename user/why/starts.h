/* SPDX-License-Identifier: BSD-2-Clause */
/* What the start of an application waits for. */
#ifndef ERLBPF_WHY_STARTS_H
#define ERLBPF_WHY_STARTS_H

#include "node/processes/processes.h"
#include "why/signs.h"
#include "why/trends.h"

/* Who is being started last, if an application's start has done nothing all the time (signs->start_wait). */
void starts_finish(struct processes *processes, const struct target *target, const struct trends *trends,
		   struct signs *signs);

#endif
