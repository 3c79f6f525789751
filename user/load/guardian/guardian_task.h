/* SPDX-License-Identifier: BSD-2-Clause */
/* What the guardian does, and what is said between it and us. */
#ifndef ERLBPF_LOAD_GUARDIAN_GUARDIAN_TASK_H
#define ERLBPF_LOAD_GUARDIAN_GUARDIAN_TASK_H

#include <stdint.h>

#define GUARDIAN_MAX_SITES (1u << 20)

enum guardian_wish { GUARDIAN_LINK, GUARDIAN_UNLINK };

/*
 * To link: the descriptors of the program and of the file come with it; offsets, semaphores and cookies, so many of
 * each, behind it. To unlink: so many numbers (int32_t) behind it. The answer to either is one int32_t.
 */
struct guardian_request {
	uint32_t wish;
	uint32_t count;
	int32_t pid;
	uint32_t how; /* enum kernel_attach */
	uint32_t at_return;
	uint32_t pad; /* words of 64 bits follow */
};

/* Until the other end of the socket is closed; then takes all probes away. */
void guardian_run(int fd);

#endif
