/* SPDX-License-Identifier: BSD-2-Clause */
/* gc: contract between its BPF program and tools/gc.c. */
#ifndef ERLBPF_BPF_GC_H
#define ERLBPF_BPF_GC_H

enum gc_kind { GC_MINOR, GC_MAJOR, GC_KINDS };		       /* also the tool's accounts: how many of each ended */
enum gc_amount { GC_NEED, GC_RECLAIMED, GC_BEFORE, GC_AFTER }; /* words */

#endif
