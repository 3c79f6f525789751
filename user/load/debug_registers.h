/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The debug registers of the processor: a perf event starts a program when a thread is about to execute the
 * instruction at an address. The memory of the process stays as it is. Each thread has DEBUG_REGISTERS of them.
 */
#ifndef ERLBPF_LOAD_DEBUG_REGISTERS_H
#define ERLBPF_LOAD_DEBUG_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DEBUG_REGISTERS 4 /* of x86-64 */

/*
 * Do they work here? Many hypervisors take the event, and it never happens: so one of ours is tried, once. NULL, or why
 * they do not, as a clause.
 */
const char *debug_registers_refusal(void);

/* What a hit takes on this machine, without a program; 0 where there is none. */
uint64_t debug_registers_hit_ns(void);

/*
 * A link of a program of perf events to the address of a thread, which ends with its fd. -errno: -ENOSPC if others have
 * the thread's registers, -ESRCH if it has ended.
 */
int debug_registers_link(int program, pid_t tid, uint64_t address, uint64_t cookie);

#endif
