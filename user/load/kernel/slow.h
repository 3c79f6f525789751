/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine on which hits cost more, for tests of what is done about it: instructions that all programs begin with. Of
 * erlbpf, none; tests/slow/ has those of build/erlbpf-slow.
 */
#ifndef ERLBPF_LOAD_KERNEL_SLOW_H
#define ERLBPF_LOAD_KERNEL_SLOW_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#define SLOW_MOST 16 /* instructions */

/* How many were put there. They leave the first register as it is, and nothing in others. */
size_t slow_begin(struct bpf_insn to[SLOW_MOST]);

/* What they take at each run, in nanoseconds: a part of the trap, not of the program. */
uint64_t slow_ns(void);

#endif
