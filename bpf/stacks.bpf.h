/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Stacks of Erlang processes, and one number for each. Erlang code runs on the process's stack, at the end of the block
 * that the heap begins. A word there is a term or, with a tag of its own, the address where a function goes on (is_CP()
 * of erl_term.h); so the stack can be read without knowing its frames. All of it may be garbage: a collection moves it.
 */
#ifndef ERLBPF_BPF_STACKS_BPF_H
#define ERLBPF_BPF_STACKS_BPF_H

#include "erl.bpf.h"
#include "profile.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SAMPLE_NODES);
	__type(key, u32);
	__type(value, struct sample_node);
} profile_nodes SEC(".maps");

static __always_inline u64 user_word(u64 address)
{
	return address ? erl_load(address, 8, false) : 0;
}

#define IS_IN(ranges, count_, address)                                                                                 \
	({                                                                                                             \
		bool in_ = false;                                                                                      \
		_Pragma("unroll") for (int range_ = 0; range_ < (count_); range_++)                                    \
			in_ |= (address) - (ranges)[range_].start < (ranges)[range_].end - (ranges)[range_].start;     \
		in_;                                                                                                   \
	})

static __always_inline bool is_made(const struct sample_node *node, u64 address)
{
	return IS_IN(node->made, SAMPLE_MADE, address);
}

static __always_inline bool is_of_file(const struct sample_node *node, u64 address)
{
	return IS_IN(node->files, SAMPLE_FILES, address);
}

/* The Erlang stack of a process, while it is read. */
struct walking {
	struct sample_stack *stack;
	const struct sample_node *node;
	u64 heap, end; /* of the process: its block */
	u64 at;	       /* where it is read next */
};

static __always_inline bool is_in_block(const struct walking *w, u64 address)
{
	return address - w->heap < w->end - w->heap && !(address & 7);
}

/* Where its block is. */
static __always_inline void walk_block(struct walking *w, u64 process)
{
	u64 block[2] = {};

	bpf_probe_read_user(block, sizeof(block), (const void *)(process + w->node->heap));
	w->heap = block[0];
	w->end = block[1] > block[0] ? block[1] : block[0];
}

static long walk_word(u32 i, struct walking *w)
{
	struct sample_stack *stack = w->stack;
	u32 n = stack->erlang_count;
	u64 word = 0;

	(void)i;
	/* The emulator's first word leads into data of the VM. */
	if (w->at >= w->end || (w->node->loop.end && w->at + 8 >= w->end))
		return 1;
	if (bpf_probe_read_user(&word, sizeof(word), (const void *)w->at)) {
		stack->flags |= SAMPLE_UNREADABLE;
		return 1;
	}
	w->at += 8;
	if (word & 3 || !(is_made(w->node, word) || sample_is_interpreted(w->node, word)))
		return 0;
	if (n >= SAMPLE_ERLANG) {
		stack->flags |= SAMPLE_CUT;
		return 1;
	}
	stack->erlang[n] = word;
	stack->erlang_count = n + 1;
	return 0;
}

static __always_inline void walk(struct walking *w, u64 from)
{
	u64 newest;

	if (!is_in_block(w, from)) {
		w->stack->flags |= SAMPLE_NO_STACK;
		return;
	}
	newest = user_word(from);
	/*
	 * Code that functions share is called without an address that has the tag (safe_fragment_call() in
	 * beam_asm.hpp). Such a call is the newest.
	 */
	if (newest & 3 && is_made(w->node, newest)) {
		w->stack->erlang[0] = newest;
		w->stack->erlang_count = 1;
	}
	w->at = from;
	if (bpf_loop(SAMPLE_ERLANG_WORDS, walk_word, w, 0) == SAMPLE_ERLANG_WORDS)
		w->stack->flags |= SAMPLE_CUT;
}

/* One number for a stack. Two with the same are not to be expected: there are 2^14 at a time, and 2^64 numbers. */
struct digest {
	const struct sample_stack *stack;
	u64 hash;
};

static __always_inline u64 mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

static long mix_erlang(u32 i, struct digest *d)
{
	if (i < SAMPLE_ERLANG)
		d->hash = mix(d->hash, d->stack->erlang[i]);
	return 0;
}

static long mix_native(u32 i, struct digest *d)
{
	if (i < SAMPLE_NATIVE)
		d->hash = mix(d->hash, d->stack->native[i]);
	return 0;
}

static long mix_kernel(u32 i, struct digest *d)
{
	if (i < SAMPLE_KERNEL)
		d->hash = mix(d->hash, d->stack->kernel[i]);
	return 0;
}

static __always_inline u64 digest(const struct sample_stack *stack)
{
	struct digest d = { .stack = stack };

	d.hash = mix(mix(stack->process, stack->ip), stack->node);
	d.hash = mix(mix(d.hash, (u64)stack->flags << 32 | (u64)stack->kind << 16 | stack->scheduler),
		     stack->frame_pointer);
	d.hash = mix(mix(d.hash, stack->lock), stack->lock_kind);
	bpf_loop(stack->erlang_count, mix_erlang, &d, 0);
	bpf_loop(stack->native_count, mix_native, &d, 0);
	bpf_loop(stack->kernel_count, mix_kernel, &d, 0);
	return d.hash;
}

/* All but the stacks themselves, which count only as far as they are said to be. */
static __always_inline void sample_begin(struct sample_stack *stack, const struct sample_node *node)
{
	stack->count = 1;
	stack->process = 0;
	stack->node = node->number;
	stack->kind = stack->scheduler = 0;
	stack->lock = stack->lock_kind = 0;
	stack->flags = 0;
	stack->erlang_count = stack->native_count = stack->kernel_count = 0;
	stack->frame_pointer = 0;
}

#endif
