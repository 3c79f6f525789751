/* SPDX-License-Identifier: BSD-2-Clause */
/* A name, or the beginning of one: contract between bpf/pattern.bpf.h and the tools that are given one. */
#ifndef ERLBPF_BPF_PATTERN_H
#define ERLBPF_BPF_PATTERN_H

#include <linux/types.h>

#define PATTERN_NAME 64 /* longest, terminator included; a power of two */

struct pattern {
	char text[PATTERN_NAME];
	__u32 size;
	__u32 is_prefix; /* more may follow */
};

#endif
