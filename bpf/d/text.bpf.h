/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Texts that the VM does not write: an argument that DTrace would know as the address of a text is a term, an MFA or an
 * address where the VM has no probes of its own. They are given the same texts here.
 */
#ifndef ERLBPF_BPF_D_TEXT_BPF_H
#define ERLBPF_BPF_D_TEXT_BPF_H

#include "d/frame.bpf.h"

static __noinline u64 d_text(struct d_frame *f, u64 dst, u64 n, u64 most)
{
	(void)dst, (void)n, (void)most;
	return d_fault(f, D_FAULT_BADADDR, 0);
}

#endif
