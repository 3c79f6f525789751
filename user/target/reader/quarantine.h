/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes whose memory or files could not be read in time are left alone for a while, which doubles each time: from
 * ten seconds to ten minutes.
 */
#ifndef ERLBPF_TARGET_READER_QUARANTINE_H
#define ERLBPF_TARGET_READER_QUARANTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct quarantined {
	pid_t pid;
	uint64_t start_time;
	uint64_t until_ns; /* of duration_now() */
	unsigned int times;
	const char *why; /* a string constant */
};

/* Is the process left alone for now? */
bool quarantine_holds(pid_t pid);

void quarantine_add(pid_t pid, const char *why);

/*
 * A question about the process held a reader up for so long, and so many of its system calls failed. What is too much
 * within a second (half of it, or 20,000 calls) is as bad as no answer.
 */
void quarantine_charge(pid_t pid, uint64_t ns, uint32_t failed);

/* Visits those that are left alone now, and still run. */
void quarantine_each(void (*visit)(void *data, const struct quarantined *process), void *data);

/* How often a process was put there. */
uint64_t quarantine_total(void);

#endif
