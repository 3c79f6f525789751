/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that look into their empty mailbox again and again, and never wait: `receive ... after 0` in a loop. */
#ifndef ERLBPF_WHY_FIND_BUSY_LOOPS_H
#define ERLBPF_WHY_FIND_BUSY_LOOPS_H

#include "node/processes/processes.h"
#include "why/schedulers/samples.h"
#include "why/source/signs.h"
#include "why/processes/process_trends.h"

/* Into the signs: spins. */
void busy_loops_finish(const struct samples *samples, const struct trends *trends, struct processes *processes,
		       struct signs *signs);

#endif
