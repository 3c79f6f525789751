/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_BUDGET_CPU_QUOTA_H
#define ERLBPF_BUDGET_CPU_QUOTA_H

#include <sys/types.h>

/*
 * Processors that the control groups of a process let it use, from cpu.max of cgroup v2 (Documentation/admin-guide/
 * cgroup-v2.rst of the kernel). 0: there is no limit, or it cannot be read.
 */
double cpu_quota(pid_t pid);

#endif
