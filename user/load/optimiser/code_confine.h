/* SPDX-License-Identifier: BSD-2-Clause */
/* What memory a program may read at addresses that it computes. */
#ifndef ERLBPF_LOAD_OPTIMISER_CODE_CONFINE_H
#define ERLBPF_LOAD_OPTIMISER_CODE_CONFINE_H

#include <linux/bpf.h>
#include <stddef.h>

enum code_reads {
	CODE_READS_ALL,
	CODE_READS_PROCESS, /* that of the process that it runs in, and nothing of the kernel */
	CODE_READS_NOTHING, /* it runs in whatever process there is */
};

/* In place; wide instructions may be among them. */
void code_confine(struct bpf_insn *insns, size_t count, enum code_reads reads);

#endif
