/* SPDX-License-Identifier: BSD-2-Clause */
/* How long BPF programs run, as the kernel measures it. */
#ifndef ERLBPF_BUDGET_RUN_TIME_H
#define ERLBPF_BUDGET_RUN_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "load/load.h"

/*
 * From now on the kernel measures, of all programs of the machine, until the fd is closed; it costs each run about
 * 20 ns. -errno: without CAP_SYS_ADMIN, -EPERM.
 */
int run_time_measure(void);

/* Does the kernel measure, whoever asked it to? */
bool run_time_is_measured(int fd);

/* Of all programs of a loader, in nanoseconds, since they were loaded and as far as it was measured. */
uint64_t run_time_of(const struct loader *loader);

#endif
