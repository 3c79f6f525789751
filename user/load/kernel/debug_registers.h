/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The debug registers of the processor: a perf event starts a program when a thread is about to execute the
 * instruction at an address. The memory of the process stays as it is. Each thread has DEBUG_REGISTERS of them.
 */
#ifndef ERLBPF_LOAD_KERNEL_DEBUG_REGISTERS_H
#define ERLBPF_LOAD_KERNEL_DEBUG_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DEBUG_REGISTERS 4 /* of x86-64 */

/*
 * May they be used here? NULL, or why not, as a clause.
 *
 * Not on a virtual machine, unless `is_unsafe`: there a hit can end the process that is watched. The handler of debug
 * exceptions reads the cause from DR6; where it finds none, it takes the exception for an INT1 and sends SIGTRAP, which
 * a process can neither block nor ignore (exc_debug_user(), arch/x86/kernel/traps.c). KVM before Linux 6.14 loses DR6
 * when the machine is interrupted just then ("KVM: x86: Load DR6 with guest value only before entering .vcpu_run()
 * loop"). On one virtual machine 24 of 5 million hits were lost so, all within five minutes.
 *
 * Many hypervisors take the event, and it never happens: so one of ours is tried, once in the life of this process.
 */
const char *debug_registers_refusal(bool is_unsafe);

/* What a hit takes on this machine, without a program. 0: none was tried, or none happened. */
uint64_t debug_registers_hit_ns(void);

/*
 * A link of a program of perf events to the address of a thread, which ends with its fd. -errno: -ENOSPC if others have
 * the thread's registers, -ESRCH if it has ended.
 */
int debug_registers_link(int program, pid_t tid, uint64_t address, uint64_t cookie);

#endif
