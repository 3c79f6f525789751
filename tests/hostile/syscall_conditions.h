/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions on the arguments of a system call, and their text. */
#ifndef ERLBPF_TESTS_SYSCALL_CONDITIONS_H
#define ERLBPF_TESTS_SYSCALL_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MOST_CONDITIONS 128

/* Of half an argument, the low one first, under a mask: `op` is BPF_JMP's. */
struct condition {
	unsigned int word;
	uint32_t mask;
	uint16_t op;
	uint32_t value;
	bool is; /* it holds, or does not */
};

/* To an action: all conditions hold. */
struct way {
	struct condition all[MOST_CONDITIONS];
	size_t count;
	uint32_t action;
};

/* "fcntl F_GETFL". `pid` is that of the process itself. */
void way_text(const char *call, const struct way *way, pid_t pid, char *text, size_t room);

#endif
