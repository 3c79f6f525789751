/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* How deep the Erlang stack is, by which calls of Erlang functions are told apart. */
#ifndef ERLBPF_BPF_FUNCTION_DEPTH_BPF_H
#define ERLBPF_BPF_FUNCTION_DEPTH_BPF_H

#include "erl.bpf.h"

/*
 * Words of the frame that the VM puts on the stack: return address, and what it was in before (25.2.3); and with flags
 * and the session (27.3.4.1). A return is seen when the return address of it is gone.
 */
static __always_inline u32 function_stack_frame_words(void)
{
	return erl_config.otp == 25 ? 2 : 4;
}

/* Depth of the Erlang stack, in words; 0 if the memory is inconsistent. */
static __always_inline u32 function_stack_depth(u64 stop, u64 heap, u64 heap_words)
{
	u64 end = heap + heap_words * 8;

	return end > stop ? (end - stop) / 8 : 0;
}

#endif
