/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that look into their empty mailbox again and again, and never wait: `receive ... after 0` in a loop. */
#ifndef ERLBPF_WHY_SPINS_H
#define ERLBPF_WHY_SPINS_H

#include "node/processes/processes.h"
#include "why/samples.h"
#include "why/signs.h"
#include "why/trends.h"

/* Into the signs: spins. */
void spins_finish(const struct samples *samples, const struct trends *trends, struct processes *processes,
		  struct signs *signs);

#endif
