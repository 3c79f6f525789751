/* SPDX-License-Identifier: BSD-2-Clause */
/* heap: contract between its BPF program and tools/heap.c. */
#ifndef ERLBPF_BPF_HEAP_H
#define ERLBPF_BPF_HEAP_H

#include <linux/types.h>

struct heap_config {
	__u32 prints; /* every change */
};

enum heap_kind { HEAP_GROWS, HEAP_SHRINKS, HEAP_KINDS }; /* also the tool's accounts: how many of each */
enum heap_amount { HEAP_OLD, HEAP_NEW };		 /* words */

#endif
