/* SPDX-License-Identifier: BSD-2-Clause */
/* copy: contract between its BPF program and tools/copy.c. The kinds are those of enum erl_caller. */
#ifndef ERLBPF_BPF_COPY_H
#define ERLBPF_BPF_COPY_H

#include <linux/types.h>

struct copy_config {
	__u32 counters; /* count by kind */
};

#endif
