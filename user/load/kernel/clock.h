/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks of the kernel that start BPF programs: a perf event on a CPU. */
#ifndef ERLBPF_LOAD_KERNEL_CLOCK_H
#define ERLBPF_LOAD_KERNEL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* A clock of one CPU; its fd, or -errno: -ENODEV if the CPU is offline or there is none of that number. */
int clock_open(uint64_t period_ns, int cpu, bool is_stopped);

#endif
