/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes whose memory or files could not be read in time. They are not read again for a while: ten seconds at first,
 * then twice as long each time, up to ten minutes.
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
	uint64_t until_ns; /* time of duration_now() */
	unsigned int times;
	const char *why; /* a string constant */
};

/* Is the process in quarantine? */
bool quarantine_holds(pid_t pid);

void quarantine_add(pid_t pid, const char *why);

/*
 * A read from the process took `ns`, and `failed` of its system calls failed. Half a second or 20,000 failed calls
 * within a second count like a timeout.
 */
void quarantine_charge(pid_t pid, uint64_t ns, uint32_t failed);

/* Visits the processes in quarantine that still run. */
void quarantine_each(void (*visit)(void *data, const struct quarantined *process), void *data);

/* How many times a process was put in quarantine. */
uint64_t quarantine_total(void);

#endif
