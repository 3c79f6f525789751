/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What all functions of D are made of: the frame's parts, and ways to keep the verifier's work small.
 *
 * The verifier goes through a loop step by step, and through a function anew for each call. Where the kernel has
 * bpf_loop(), a loop is one call (d_repeat()). Two things make the others cheap. First, what a loop computes is unknown
 * to it (d_opaque()), so that what follows an early exit is the same wherever the exit was taken, and is looked at
 * once; a loop's own counter is another variable, which ends with the loop. Second, bytes at places that are known only
 * at run time are moved by bpf_probe_read_kernel(), whose source need not be proven.
 */
#ifndef ERLBPF_BPF_D_FRAME_BPF_H
#define ERLBPF_BPF_D_FRAME_BPF_H

#include "erl.bpf.h"
#include "d.h"

/* Set before the object is loaded: the layout of frames, see d.h. */
const volatile __u64 d_string_size = 256; /* -x strsize */
const volatile __u64 d_string_room = 264;
const volatile __u64 d_scratch_offset = 0;
const volatile __u64 d_scratch_size = 0;
const volatile __u64 d_work_offset = 0;
const volatile __u64 d_knows_null = 0; /* -x compat: NULL is another string than "" */
const volatile __u64 d_has_loop = 0;   /* the kernel has bpf_loop(): since 5.17 */

/* Kept although nothing here calls it, with its arguments as they are: compiled programs do. */
#define D_FUNCTION static __noinline __attribute__((used)) u64

/*
 * What takes the verifier long is a global function: that is looked at once, for any arguments, and not for each call.
 * A function that is a test's own cannot be one: how large a frame is, is in the type of its argument
 * (user/d/object/object.c).
 */
#ifndef D_GLOBAL
#define D_GLOBAL __noinline __attribute__((used)) u64
#endif
#define D_INSIDE static __always_inline u64

/* An argument that is a place of a string in the frame; behind the last one is the work memory. Any other argument. */
#define D_PLACE(x) d_offset(x, d_work_offset)
#define D_VALUE(x) (x)

/* The global function `name`, of which name_in() is the inside. */
#define D_ONCE_0(name)                                                                                                 \
	D_GLOBAL name(struct d_frame *f)                                                                               \
	{                                                                                                              \
		return f ? name##_in(f) : 0;                                                                           \
	}
#define D_ONCE_1(name, A)                                                                                              \
	D_GLOBAL name(struct d_frame *f, u64 a)                                                                        \
	{                                                                                                              \
		return f ? name##_in(f, A(a)) : 0;                                                                     \
	}
#define D_ONCE_2(name, A, B)                                                                                           \
	D_GLOBAL name(struct d_frame *f, u64 a, u64 b)                                                                 \
	{                                                                                                              \
		return f ? name##_in(f, A(a), B(b)) : 0;                                                               \
	}
#define D_ONCE_3(name, A, B, C)                                                                                        \
	D_GLOBAL name(struct d_frame *f, u64 a, u64 b, u64 c)                                                          \
	{                                                                                                              \
		return f ? name##_in(f, A(a), B(b), C(c)) : 0;                                                         \
	}
#define D_ONCE_4(name, A, B, C, D)                                                                                     \
	D_GLOBAL name(struct d_frame *f, u64 a, u64 b, u64 c, u64 d)                                                   \
	{                                                                                                              \
		return f ? name##_in(f, A(a), B(b), C(c), D(d)) : 0;                                                   \
	}

/* Inside a loop, on its counter: the compiler must not count with an address instead. */
#define d_keep(x) asm volatile("" : "+r"(x))

/*
 * Where ways meet: the verifier remembers what it knows here, and does not go on when it comes again with no more than
 * that. It does so at the targets of jumps, but only if it passed some jumps and instructions since the last time;
 * these here it takes away when it is done.
 */
#define d_meet() asm volatile("goto +0\ngoto +0\ngoto +0\ngoto +0\ngoto +0\ngoto +0\ngoto +0\ngoto +0" ::: "memory")

static __always_inline char *d_at(struct d_frame *f, u64 offset)
{
	return (char *)f + offset;
}

static __always_inline struct d_work *d_work(struct d_frame *f)
{
	return (struct d_work *)d_at(f, d_work_offset);
}

/* The offset of string n, 0 to 3, of the work memory. */
static __always_inline u64 d_work_string(u64 n)
{
	return d_work_offset + sizeof(struct d_work) + n * d_string_room;
}

/* The same value, of which the verifier knows nothing; of an address it becomes a number. */
static __always_inline u64 d_opaque(struct d_frame *f, u64 value)
{
	*(volatile u64 *)&f->spare[0] = value;
	return *(volatile u64 *)&f->spare[0];
}

/* Not more than `most`, and the verifier knows it. */
static __always_inline u64 d_most(u64 value, u64 most)
{
	d_keep(value);
	if (value > most)
		value = most;
	d_keep(value);
	return value;
}

/* What a step of a loop is given; all else that it works on is in the frame. */
struct d_loop {
	struct d_frame *f;
	u64 a, b;
};

/*
 * A loop whose steps are a function, long step(u32 i, struct d_loop *loop), which gives 1 to end it. With bpf_loop()
 * the verifier looks at one step and not at all of them.
 */
#define d_repeat(count, step, loop)                                                                                    \
	do {                                                                                                           \
		if (d_has_loop) {                                                                                      \
			bpf_loop(count, step, loop, 0);                                                                \
			break;                                                                                         \
		}                                                                                                      \
		for (u32 i_ = 0; i_ < (count); i_++) {                                                                 \
			d_keep(i_);                                                                                    \
			if (step(i_, loop))                                                                            \
				break;                                                                                 \
		}                                                                                                      \
	} while (0)

/*
 * For the verifier, an offset that is at most `most` as it is. What it cannot believe becomes 0 and not `most`: it
 * takes an address with a constant added for another address, and would go on with both.
 */
static __always_inline u64 d_offset(u64 value, u64 most)
{
	d_keep(value);
	if (value > most)
		value = 0;
	d_keep(value);
	return value;
}

/* Of an offset in a string, or a little beyond it: the next power of two that is enough, less one. */
static __always_inline u64 d_string_mask(void)
{
	u64 mask = d_string_size;

	mask |= mask >> 1;
	mask |= mask >> 2;
	mask |= mask >> 4;
	mask |= mask >> 8;
	mask |= mask >> 16;
	return mask;
}

/* `one` or `other`, without a branch; `is_one` is 1 or 0. */
static __always_inline u64 d_select(u64 is_one, u64 one, u64 other)
{
	u64 mask = -is_one;

	d_keep(mask);
	return other ^ ((one ^ other) & mask);
}

/* 1 or 0, without a branch: the compiler must not see what is meant. The second is of numbers below 2^63. */
static __always_inline u64 d_differs(u64 a, u64 b)
{
	u64 bits = a ^ b, negative = -bits;

	d_keep(negative);
	return (bits | negative) >> 63;
}

static __always_inline u64 d_is_less(u64 a, u64 b)
{
	u64 distance = a - b;

	d_keep(distance);
	return distance >> 63;
}

static __always_inline u64 d_fault(struct d_frame *f, u64 fault, u64 value)
{
	f->fault = fault;
	f->fault_value = value;
	return 0;
}

/* Memory of this kernel reads as zeros where it cannot be read. That is one step for the verifier, a loop is many. */
static __always_inline void d_clear(void *at, u64 size)
{
	bpf_probe_read_kernel(at, size, NULL);
}

#endif
