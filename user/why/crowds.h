/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that wait for something that their stacks tell: the name of a host, a lock of all nodes, code. */
#ifndef ERLBPF_WHY_CROWDS_H
#define ERLBPF_WHY_CROWDS_H

#include "node/processes.h"
#include "why/signs.h"

/* Looks at the stacks of some processes that wait, as they are now. Into the signs: dns_wait, lock_wait,
 * lock_held, terms_wait, code_wait. */
void crowds_finish(struct processes *processes, const struct target *target, struct signs *signs);

#endif
