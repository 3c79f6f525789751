/* SPDX-License-Identifier: BSD-2-Clause */
/* The restarts that a supervisor remembers. */
#ifndef ERLBPF_WHY_RESTARTS_H
#define ERLBPF_WHY_RESTARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/processes/processes.h"

#define SUPERVISOR_LOG_MOST 64 /* the newest ones */

/* In seconds of the node's monotonic time, which may be negative; newest first. */
struct supervisor_log {
	size_t count;
	int64_t times[SUPERVISOR_LOG_MOST];
};

/* Reads the log of a process. False: it is no supervisor of OTP, or is running now. */
bool supervisor_log_read(struct processes *processes, uint64_t id, struct supervisor_log *log);

/* The number of restarts after that time. */
size_t supervisor_log_since(const struct supervisor_log *log, int64_t time);

#endif
