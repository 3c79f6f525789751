/* SPDX-License-Identifier: BSD-2-Clause */
/* What the allocators of a node hold and do not use. */
#ifndef ERLBPF_WHY_PROCESSES_ALLOCATOR_USE_H
#define ERLBPF_WHY_PROCESSES_ALLOCATOR_USE_H

#include "target/target.h"
#include "why/source/signs.h"

/* Into the signs: allocators. */
void memory_finish(const struct target *target, struct signs *signs);

#endif
