/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Stacks. These functions take the context of the program before the frame. Variants: no suffix; _entry for the start
 * of a function; _profile for code that a clock interrupts; _node for probes of nodes.
 */
#ifndef ERLBPF_BPF_D_STACK_BPF_H
#define ERLBPF_BPF_D_STACK_BPF_H

#include "d/frame.bpf.h"
#include "registers.bpf.h"
#include "stacks.bpf.h"
#include "threads.bpf.h"

_Static_assert(D_STACK_FRAMES * 8 <= D_WORK_TEXT, "no room for a stack");

const volatile struct d_tracepoint d_tracepoint_own = {};

/* Addresses from `at` on, innermost first, followed by zeros; returns their number. */
static __always_inline u64 d_stack_read(void *ctx, void *at, u64 frames, u64 flags)
{
	s64 size = bpf_get_stack(ctx, at, frames * 8, flags);

	return size > 0 ? (u64)size / 8 : 0;
}

/* A FIELD_STACK at that offset, with at most `frames` frames, a constant at the call. */
static __always_inline u64 d_stack_put(void *ctx, struct d_frame *f, u64 to, u64 frames, u64 flags, u64 os_id)
{
	u64 *field = (u64 *)d_at(f, to);

	*field = os_id << 32 | d_stack_read(ctx, field + 1, frames, flags);
	return 0;
}

D_FUNCTION d_ustack(void *ctx, struct d_frame *f, u64 to, u64 frames)
{
	return d_stack_put(ctx, f, to, frames, BPF_F_USER_STACK, bpf_get_current_pid_tgid() >> 32);
}

/*
 * At the start of a function, its caller is on top of the stack (x86-64) or in a register (arm64), where the kernel
 * does not look for it: the frame would be missing. The kernel handles only functions that begin with a push of the
 * frame pointer.
 */
static __always_inline u64 d_entry_caller(void *ctx)
{
#ifdef __TARGET_ARCH_arm64
	return erl_word(ctx, 30 * 8);
#else
	return erl_load(erl_word(ctx, ERL_SP_OFFSET), 8, false);
#endif
}

D_FUNCTION d_ustack_entry(void *ctx, struct d_frame *f, u64 to, u64 frames)
{
	u64 *field = (u64 *)d_at(f, to), count, caller = d_entry_caller(ctx);

	d_stack_put(ctx, f, to, frames, BPF_F_USER_STACK, bpf_get_current_pid_tgid() >> 32);
	count = (u32)field[0];
	if (frames < 2 || (count > 1 && field[2] == caller) || !caller)
		return 0;
	/* Again, one position further. */
	count = d_stack_read(ctx, field + 2, frames - 1, BPF_F_USER_STACK);
	if (count < 1)
		return 0;
	field[1] = field[2];
	field[2] = caller;
	field[0] = (u64)(u32)(bpf_get_current_pid_tgid() >> 32) << 32 | (count + 1);
	return 0;
}

D_FUNCTION d_ucaller_entry(void *ctx, struct d_frame *f)
{
	(void)f;
	return d_entry_caller(ctx);
}

/*
 * If kernel code calls a program without an interrupt, the first frames are the program's own and its caller's: skip
 * them. A tracepoint calls its only program directly; with several, it calls __traceiter_NAME(), which calls all.
 * Programs come and go, so search for that frame.
 */
static __always_inline u64 d_own_frames(void *ctx, struct d_frame *f, u64 own)
{
	volatile u64 *first = (volatile u64 *)d_work(f)->text;

	own &= BPF_F_SKIP_FIELD_MASK;
	if (!d_tracepoint_own.caller || !d_stack_read(ctx, (void *)first, 1, own))
		return own;
	return *first - d_tracepoint_own.caller < d_tracepoint_own.caller_size ? own + 1 : own;
}

D_FUNCTION d_stack(void *ctx, struct d_frame *f, u64 to, u64 frames, u64 own)
{
	return d_stack_put(ctx, f, to, frames, d_own_frames(ctx, f, own), 0);
}

static __always_inline u64 d_stack_second(void *ctx, struct d_frame *f, u64 flags)
{
	volatile u64 *addresses = (volatile u64 *)d_work(f)->text;

	return d_stack_read(ctx, (void *)addresses, 2, flags) > 1 ? addresses[1] : 0;
}

D_FUNCTION d_caller(void *ctx, struct d_frame *f, u64 own)
{
	return d_stack_second(ctx, f, d_own_frames(ctx, f, own));
}

D_FUNCTION d_ucaller(void *ctx, struct d_frame *f)
{
	return d_stack_second(ctx, f, BPF_F_USER_STACK);
}

D_FUNCTION d_stackdepth(void *ctx, struct d_frame *f, u64 own)
{
	return d_stack_read(ctx, d_work(f)->text, D_STACK_FRAMES, d_own_frames(ctx, f, own));
}

/* A stack ends at address 0. The kernel can report 0 as a caller and continue. */
static __always_inline u64 d_user_depth(void *ctx, struct d_frame *f)
{
	volatile u64 *addresses = (volatile u64 *)d_work(f)->text;
	u64 count = d_stack_read(ctx, (void *)addresses, D_STACK_FRAMES, BPF_F_USER_STACK), depth = d_opaque(f, 0);

	for (u64 i = 0; i < D_STACK_FRAMES; i++) {
		d_keep(i);
		if (i >= count || !addresses[i])
			break;
		depth = d_opaque(f, depth + 1);
	}
	return depth;
}

D_FUNCTION d_ustackdepth(void *ctx, struct d_frame *f)
{
	return d_user_depth(ctx, f);
}

/* The depth that d_ustack_entry() reports. */
D_FUNCTION d_ustackdepth_entry(void *ctx, struct d_frame *f)
{
	volatile u64 *addresses = (volatile u64 *)d_work(f)->text;
	u64 caller = d_entry_caller(ctx), count = d_user_depth(ctx, f);

	if (!caller || count >= D_STACK_FRAMES || (count > 1 && addresses[1] == caller))
		return count;
	return count + 1;
}

#ifdef __TARGET_ARCH_arm64
#define d_erlang_stack(f, field, frames) false
#define d_erlang_depth(f) 0
#else
/*
 * Erlang code has no frame pointers, and its stack is the process's own: it grows down from the end of the heap to the
 * stack pointer (JIT of OTP 25 to 27: E is rsp, c_p is r13, beam_asm.hpp). A word on it is a term, or without a tag a
 * return address, or with frame pointers an address on the stack.
 */
#define D_PROCESS_HEAP_25 128 /* offset in struct process, see fields.def; hend follows */
#define D_PROCESS_HEAP_27 192
#define D_ERLANG_WORDS (D_WORK_TEXT / 8) /* words of the stack that are read */

/* The end of the heap at `at`, if it contains the stack pointer; otherwise 0. */
static __always_inline u64 d_end_of_heap(u64 process, u64 at, u64 sp)
{
	u64 words[2] = {};

	bpf_probe_read_user(words, sizeof(words), (const void *)(process + at));
	return words[0] <= sp && sp < words[1] ? words[1] : 0;
}

/* The end of the stack that contains `sp`; 0 if this is no process, or runs on another stack. */
static __always_inline u64 d_erlang_stack_end(u64 process, u64 sp)
{
	u64 id = 0, end;

	bpf_probe_read_user(&id, 8, (const void *)process);
	/* A pid of the local node. */
	if ((id & 0xf) != 0x3)
		return 0;
	end = d_end_of_heap(process, D_PROCESS_HEAP_25, sp);
	return end ? end : d_end_of_heap(process, D_PROCESS_HEAP_27, sp);
}

/* 1 if the word is a return address. */
static __always_inline u64 d_is_return(u64 word, u64 sp, u64 end)
{
	u64 is_on_stack = (d_is_less(word, sp) | d_is_less(end, word)) ^ 1;

	return (d_differs(word & 3, 0) ^ 1) & d_differs(word, 0) & (is_on_stack ^ 1);
}

/* The stack of the interrupted Erlang process, if its own code ran. */
static __always_inline bool d_erlang_stack(struct d_frame *f, u64 *field, u64 frames)
{
	u64 sp = user_register(USER_SP), end = d_erlang_stack_end(user_register(USER_C_P), sp);
	volatile u64 *words = (volatile u64 *)d_work(f)->text;
	u64 size = d_most(end - sp, D_WORK_TEXT), count = d_opaque(f, 1), word;

	if (!end || bpf_probe_read_user((void *)words, size, (const void *)sp))
		return false;
	bpf_probe_read_kernel(field + 1, frames * 8, NULL);
	field[1] = user_register(USER_IP);
	for (u64 i = 0; i < D_ERLANG_WORDS; i++) {
		d_keep(i);
		if (i * 8 >= size || count >= frames)
			break;
		word = words[i];
		*(volatile u64 *)&field[1 + d_most(count, frames - 1)] = word;
		count = d_opaque(f, count + d_is_return(word, sp, end));
	}
	/* The last frame may be none. */
	if (count < frames)
		*(volatile u64 *)&field[1 + d_most(count, frames - 1)] = 0;
	field[0] = (f->pid_tgid >> 32) << 32 | count;
	return true;
}

/* The number of frames; 0 if other code was interrupted. */
static __always_inline u64 d_erlang_depth(struct d_frame *f)
{
	u64 sp = user_register(USER_SP), end = d_erlang_stack_end(user_register(USER_C_P), sp);
	volatile u64 *words = (volatile u64 *)d_work(f)->text;
	u64 size = d_most(end - sp, D_WORK_TEXT), count = d_opaque(f, 1);

	if (!end || bpf_probe_read_user((void *)words, size, (const void *)sp))
		return 0;
	for (u64 i = 0; i < D_ERLANG_WORDS; i++) {
		d_keep(i);
		if (i * 8 >= size || count >= D_STACK_FRAMES)
			break;
		count = d_opaque(f, count + d_is_return(words[i], sp, end));
	}
	return count;
}
#endif

/* C frames, or Erlang frames, whichever code runs. */
D_FUNCTION d_ustack_profile(void *ctx, struct d_frame *f, u64 to, u64 frames)
{
	if (!d_erlang_stack(f, (u64 *)d_at(f, to), frames))
		d_stack_put(ctx, f, to, frames, BPF_F_USER_STACK, bpf_get_current_pid_tgid() >> 32);
	return 0;
}

/* The depth that d_ustack_profile() reports. */
D_FUNCTION d_ustackdepth_profile(void *ctx, struct d_frame *f)
{
	u64 depth = d_erlang_depth(f);

	return depth ? depth : d_user_depth(ctx, f);
}

/*
 * A probe of a node runs in C code, and the JIT saved the stack pointer in the process structure before the call. The
 * function walks the stack from there, newest word first, to the end of the block; bpf/stacks.bpf.h describes the
 * words. C frames between the probed function and the stack are missing, because that code has no frame pointers.
 */
#define D_FRAMES_OF_WORDS 1024 /* words that are read */

enum { D_FRAMES_OF_AT, D_FRAMES_OF_START, D_FRAMES_OF_END, D_FRAMES_OF_COUNT }; /* words in the work memory */

/* Adds a frame. loop.a is the offset of the field, 0: only count. */
static __always_inline void d_process_frame(struct d_loop *loop, volatile u64 *walk, u64 address)
{
	u64 count = walk[D_FRAMES_OF_COUNT], to = d_offset(loop->a, d_work_offset);

	if (to)
		*(volatile u64 *)d_at(loop->f, to + 8 + d_most(count, D_STACK_FRAMES - 1) * 8) = address;
	walk[D_FRAMES_OF_COUNT] = count + 1;
}

static long d_process_word(u32 i, struct d_loop *loop)
{
	volatile u64 *walk = (volatile u64 *)d_work(loop->f)->words;
	u64 at = walk[D_FRAMES_OF_AT], start = walk[D_FRAMES_OF_START], end = walk[D_FRAMES_OF_END], word = 0;

	(void)i;
	if (at >= end || walk[D_FRAMES_OF_COUNT] >= loop->b ||
	    bpf_probe_read_user(&word, sizeof(word), (const void *)at))
		return 1;
	walk[D_FRAMES_OF_AT] = at + 8;
	/* With frame pointers, the stack also contains stack addresses. */
	if (word && !(word & 3) && word - start >= end - start)
		d_process_frame(loop, walk, word);
	return 0;
}

/* The process on this thread; 0: none or unknown. */
static __always_inline u64 d_process_here(const struct sample_node *node)
{
	const struct sample_thread *thread = thread_here();

	return node && node->heap && thread ? user_word(thread->process) : 0;
}

/* The number of frames, with `ip` as the first; 0 if there is no readable stack. `to`: the field, 0: none. */
D_INSIDE d_frames_of_process_in(struct d_frame *f, u64 to, u64 frames, u64 ip)
{
	u32 tgid = f->pid_tgid >> 32;
	const struct sample_node *node = bpf_map_lookup_elem(&profile_nodes, &tgid);
	volatile u64 *walk = (volatile u64 *)d_work(f)->words;
	u64 process = d_process_here(node), block[2] = {}, stop, newest;
	struct d_loop loop = { f, to, frames };

	if (!process || !node)
		return 0;
	bpf_probe_read_user(block, sizeof(block), (const void *)(process + node->heap));
	stop = user_word(process + node->stop);
	if (stop & 7 || stop < block[0] || stop >= block[1])
		return 0;
	walk[D_FRAMES_OF_AT] = walk[D_FRAMES_OF_START] = stop;
	walk[D_FRAMES_OF_END] = node->loop.end ? block[1] - 8 : block[1];
	walk[D_FRAMES_OF_COUNT] = 0;
	d_process_frame(&loop, walk, ip);
	/* Shared code is called without a tagged return address. */
	newest = user_word(stop);
	if (newest & 3 && frames > 1 && is_made(node, newest))
		d_process_frame(&loop, walk, newest);
	d_repeat(D_FRAMES_OF_WORDS, d_process_word, &loop);
	return walk[D_FRAMES_OF_COUNT];
}
D_ONCE_3(d_frames_of_process, D_PLACE, D_VALUE, D_VALUE)

D_FUNCTION d_ustack_node(void *ctx, struct d_frame *f, u64 to, u64 frames)
{
	u64 *field = (u64 *)d_at(f, to), count;

	bpf_probe_read_kernel(field + 1, frames * 8, NULL);
	count = d_frames_of_process(f, to, frames, erl_word(ctx, ERL_IP_OFFSET));
	if (!count)
		return d_stack_put(ctx, f, to, frames, BPF_F_USER_STACK, f->pid_tgid >> 32);
	field[0] = (f->pid_tgid >> 32) << 32 | count;
	return 0;
}

/* The depth that d_ustack_node() reports. */
D_FUNCTION d_ustackdepth_node(void *ctx, struct d_frame *f)
{
	u64 count = d_frames_of_process(f, 0, D_STACK_FRAMES, 0);

	return count ? count : d_user_depth(ctx, f);
}

D_FUNCTION d_uregs(struct d_frame *f, u64 index)
{
	if (index >= USER_REGISTERS)
		return d_fault(f, D_FAULT_BADINDEX, index);
	return user_register(index);
}

#endif
