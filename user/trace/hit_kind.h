/* SPDX-License-Identifier: BSD-2-Clause */
/* How the kernel executes a probe: its overhead depends on this (budget/hit_cost.h). */
#ifndef ERLBPF_TRACE_HIT_KIND_H
#define ERLBPF_TRACE_HIT_KIND_H

enum hit_kind {
	HIT_PLAIN,	    /* at an instruction that the kernel emulates */
	HIT_STEPPED,	    /* at one that it executes elsewhere, one step */
	HIT_RETURN,	    /* at the return of a function, with the hit at its entry */
	HIT_NOP5,	    /* at a nop5, which Linux 6.18 and later makes a call of */
	HIT_STEPPED_RETURN, /* as HIT_RETURN, where the instruction at the entry is single-stepped */
	HIT_REGISTER,	    /* of a debug register; 0 ns if none was tried: see debug_registers_refusal() */
	HIT_KINDS,
};

#endif
