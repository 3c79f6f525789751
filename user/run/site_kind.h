/* SPDX-License-Identifier: BSD-2-Clause */
/* What a hit of a site costs depends on the instruction that is there. */
#ifndef ERLBPF_RUN_SITE_KIND_H
#define ERLBPF_RUN_SITE_KIND_H

#include "load/hit_cost.h"
#include "target/target.h"

/* HIT_PLAIN, HIT_NOP5 or HIT_STEPPED of a place in the VM's file. What cannot be read is taken for stepped. */
enum hit_kind site_kind(const struct vm *vm, unsigned long offset);

#endif
