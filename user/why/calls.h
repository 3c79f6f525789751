/* SPDX-License-Identifier: BSD-2-Clause */
/* Who waits for an answer of whom: calls of gen_server and the like. */
#ifndef ERLBPF_WHY_CALLS_H
#define ERLBPF_WHY_CALLS_H

#include "node/processes.h"
#include "why/signs.h"

/* The process whose answer that one waits for now; 0: for none. */
uint64_t calls_asked(struct processes *processes, const struct target *target, uint64_t id);

/* Whom each receiver that waits waits for: over all that wait themselves, the one at the end. */
void calls_finish(struct processes *processes, const struct target *target, struct signs *signs);

#endif
