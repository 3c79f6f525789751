/* SPDX-License-Identifier: BSD-2-Clause */
/* When a supervisor has restarted children, as it remembers it itself. */
#ifndef ERLBPF_WHY_RESTARTS_H
#define ERLBPF_WHY_RESTARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/processes/processes.h"

#define SUPERVISOR_LOG_MOST 64 /* that are looked at, the newest */

/* In seconds of the node's monotonic time, which may be negative; the newest first. */
struct supervisor_log {
	size_t count;
	int64_t times[SUPERVISOR_LOG_MOST];
};

/* Of the process with that id. False: it is not one of OTP's supervisors, or does something else just now. */
bool supervisor_log_read(struct processes *processes, uint64_t id, struct supervisor_log *log);

/* How many are newer than that time. */
size_t supervisor_log_since(const struct supervisor_log *log, int64_t time);

#endif
