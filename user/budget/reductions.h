/* SPDX-License-Identifier: BSD-2-Clause */
/* How much a node does, in its own measure, read from its memory. */
#ifndef ERLBPF_BUDGET_REDUCTIONS_H
#define ERLBPF_BUDGET_REDUCTIONS_H

#include <stdint.h>

#include "target/target.h"

struct reductions;

/* The target must outlive it. NULL: they cannot be read, or memory is short. */
struct reductions *reductions_new(const struct target *target);
void reductions_free(struct reductions *reductions);

/* Since the node began, of its processes. 0: that is not known, as of one that has ended. */
uint64_t reductions_read(const struct reductions *reductions);

#endif
