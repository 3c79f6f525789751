/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Stacks. These functions take the program's context, in front of the frame: d_ustack, d_stack, d_caller, d_ucaller,
 * d_stackdepth, d_ustackdepth, for the beginning of a function d_ustack_entry, d_ucaller_entry,
 * d_ustackdepth_entry, for whatever a clock interrupts d_ustack_profile, d_ustackdepth_profile, and for probes of nodes
 * d_ustack_node, d_ustackdepth_node.
 */
#ifndef ERLBPF_BPF_D_STACK_BPF_H
#define ERLBPF_BPF_D_STACK_BPF_H

#include "d/frame.bpf.h"
#include "registers.bpf.h"
#include "stacks.bpf.h"
#include "threads.bpf.h"

_Static_assert(D_STACK_FRAMES * 8 <= D_WORK_TEXT, "no room for a stack");

const volatile struct d_tracepoint d_tracepoint_own = {};

/* Addresses from `at` on, innermost first, zeros behind them; how many. */
static __always_inline u64 d_stack_read(void *ctx, void *at, u64 frames, u64 flags)
{
	s64 size = bpf_get_stack(ctx, at, frames * 8, flags);

	return size > 0 ? (u64)size / 8 : 0;
}

/* A FIELD_STACK at that offset, with at most so many frames, a constant at the call. */
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
 * Where a function begins its caller is on top of the stack (x86-64) or in a register (arm64), and not yet where the
 * kernel looks for it: it would be left out. The kernel knows this of functions that begin with a frame pointer's push.
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
	/* Once more, one place further on. */
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
 * Where a program is called by the kernel's code, and not by an interrupt, its own frames are the first, and those of
 * what called it: so many are left out. A tracepoint calls the only one that traces it; if there are several, it calls
 * __traceiter_NAME(), which calls all. They may come and go, so that it is looked for.
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

/* A stack is printed up to an address that is 0: where no caller is the kernel may see one, and looks further. */
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

/* As many as d_ustack_entry() has. */
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
 * Erlang code keeps no frame pointers, and its stack is the process's own: the end of its heap, down to the stack
 * pointer (JIT of OTP 25 to 27: E is rsp, c_p is r13, beam_asm.hpp). A word there is a term, or with no tag the
 * address to which a function returns; with frame pointers also a place on the stack.
 */
#define D_PROCESS_HEAP_25 128 /* of struct process, see fields.def; hend follows it */
#define D_PROCESS_HEAP_27 192
#define D_ERLANG_WORDS (D_WORK_TEXT / 8) /* of the stack that are looked at */

/* The end of the heap at `at` of a process, if the stack pointer is in it; else 0. */
static __always_inline u64 d_end_of_heap(u64 process, u64 at, u64 sp)
{
	u64 words[2] = {};

	bpf_probe_read_user(words, sizeof(words), (const void *)(process + at));
	return words[0] <= sp && sp < words[1] ? words[1] : 0;
}

/* Where the stack ends that `sp` is on; 0 if this is no process, or runs on another stack. */
static __always_inline u64 d_erlang_stack_end(u64 process, u64 sp)
{
	u64 id = 0, end;

	bpf_probe_read_user(&id, 8, (const void *)process);
	/* The pid of a process of its own node. */
	if ((id & 0xf) != 0x3)
		return 0;
	end = d_end_of_heap(process, D_PROCESS_HEAP_25, sp);
	return end ? end : d_end_of_heap(process, D_PROCESS_HEAP_27, sp);
}

/* 1: it is where a function returns to. */
static __always_inline u64 d_is_return(u64 word, u64 sp, u64 end)
{
	u64 is_on_stack = (d_is_less(word, sp) | d_is_less(end, word)) ^ 1;

	return (d_differs(word & 3, 0) ^ 1) & d_differs(word, 0) & (is_on_stack ^ 1);
}

/* The stack of the Erlang process that was interrupted, if its own code was. */
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
	/* What was put last may be none. */
	if (count < frames)
		*(volatile u64 *)&field[1 + d_most(count, frames - 1)] = 0;
	field[0] = (f->pid_tgid >> 32) << 32 | count;
	return true;
}

/* How many frames that has; 0 if other code was interrupted. */
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

/* Frames of C, or of Erlang: whose code it is that runs. */
D_FUNCTION d_ustack_profile(void *ctx, struct d_frame *f, u64 to, u64 frames)
{
	if (!d_erlang_stack(f, (u64 *)d_at(f, to), frames))
		d_stack_put(ctx, f, to, frames, BPF_F_USER_STACK, bpf_get_current_pid_tgid() >> 32);
	return 0;
}

/* As many as d_ustack_profile() has. */
D_FUNCTION d_ustackdepth_profile(void *ctx, struct d_frame *f)
{
	u64 depth = d_erlang_depth(f);

	return depth ? depth : d_user_depth(ctx, f);
}

/*
 * In a probe of a node C code runs, before which the JIT has put the end of the process's stack into its structure:
 * that stack is walked, from the newest word to the end of the block. bpf/stacks.bpf.h says what is on it. What of C
 * code is between the function that has the probe and the stack is left out, as it keeps no frame pointers.
 */
#define D_FRAMES_OF_WORDS 1024 /* that are looked at */

enum { D_FRAMES_OF_AT, D_FRAMES_OF_START, D_FRAMES_OF_END, D_FRAMES_OF_COUNT }; /* of the words of the work memory */

/* A frame more, if it is wanted: loop.a is the place of the field, 0: frames are only counted. */
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
	/* With frame pointers, there are also places on the stack. */
	if (word && !(word & 3) && word - start >= end - start)
		d_process_frame(loop, walk, word);
	return 0;
}

/* The process that this thread runs; 0: none, or it is not known. */
static __always_inline u64 d_process_here(const struct sample_node *node)
{
	const struct sample_thread *thread = thread_here();

	return node && node->heap && thread ? user_word(thread->process) : 0;
}

/*
 * How many frames that has, with `ip` the first; 0 if there is no process whose stack could be read. `to`: the field,
 * 0: there is none.
 */
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
	/* Code that functions share is called without an address that has the tag. */
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

/* As many as d_ustack_node() has. */
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
