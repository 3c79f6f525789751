/* SPDX-License-Identifier: BSD-2-Clause */
/* births: contract between its BPF program and tools/births.c. */
#ifndef ERLBPF_BPF_BIRTHS_H
#define ERLBPF_BPF_BIRTHS_H

#include <linux/types.h>

enum births_by { BIRTHS_BY_NODE, BIRTHS_BY_PID, BIRTHS_BY_NAME, BIRTHS_BY_MFA };

/* Kinds of what is tallied: the amount of an exit is how long the process had lived, if that is known. */
enum births_kind { BIRTHS_SPAWN, BIRTHS_EXIT, BIRTHS_EXIT_OLD };

struct births_config {
	__u64 erl_pid;		/* what this process spawns, 0: all */
	__u32 by;
	__u32 pad;
};

enum births_fate {
	BIRTHS_OLD,		/* exits of processes that were there before the trace, or did not fit */
	BIRTHS_FATES,
};

#define BIRTHS_ALIVE 262144	/* processes that were spawned in the trace, and live */

#endif
