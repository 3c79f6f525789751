/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Basis of all D functions: the parts of the frame, and ways to limit the work of the verifier. The verifier simulates
 * a loop step by step, and a static function at each call. With bpf_loop(), a loop costs as much as one call
 * (d_repeat()). Two rules keep other loops cheap. First, the results of a loop are opaque to the verifier (d_opaque()),
 * so the code after an early exit is verified once, whatever iteration took the exit; the loop counter is a separate
 * variable that ends with the loop. Second, bytes at positions known only at run time are copied by
 * bpf_probe_read_kernel(), whose source needs no proof.
 */
#ifndef ERLBPF_BPF_D_FRAME_BPF_H
#define ERLBPF_BPF_D_FRAME_BPF_H

#include "erl.bpf.h"
#include "d.h"

/* The layout of frames, set before the object is loaded: see d.h. */
const volatile __u64 d_string_size = 256; /* -x strsize */
const volatile __u64 d_string_room = 264;
const volatile __u64 d_scratch_offset = 0;
const volatile __u64 d_scratch_size = 0;
const volatile __u64 d_work_offset = 0;
const volatile __u64 d_has_null = 0; /* -x compat: NULL and "" differ */
const volatile __u64 d_has_loop = 0; /* the kernel has bpf_loop(), since 5.17 */

/* Compiled programs call it, so keep it, with all its arguments. */
#define D_FUNCTION static __noinline __attribute__((used)) u64

/*
 * Functions that take long to verify are global: the verifier examines them once, for any arguments, instead of at each
 * call. A function in a unit test cannot be global, because the type of its argument has the size of the frame
 * (user/d/object/object.c).
 */
#ifndef D_GLOBAL
#define D_GLOBAL __noinline __attribute__((used)) u64
#endif
#define D_INSIDE static __always_inline u64

/* Argument kinds. D_PLACE: offset of a string in the frame, which the work memory follows. D_VALUE: anything else. */
#define D_PLACE(x) d_offset(x, d_work_offset)
#define D_VALUE(x) (x)

/* Defines the global function `name`, which calls name_in(). */
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

/* For loop counters: stops the compiler from counting with an address instead. */
#define d_keep(x) asm volatile("" : "+r"(x))

/*
 * A point where paths meet. The verifier stores its state here, and stops when it comes again with a known state. It
 * does so at jump targets, but only after some jumps and instructions; it removes these jumps at the end.
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

/* The offset of string n, 0 to 3, in the work memory. */
static __always_inline u64 d_work_string(u64 n)
{
	return d_work_offset + sizeof(struct d_work) + n * d_string_room;
}

/* The same value, unknown to the verifier; an address becomes a number. */
static __always_inline u64 d_opaque(struct d_frame *f, u64 value)
{
	*(volatile u64 *)&f->spare[0] = value;
	return *(volatile u64 *)&f->spare[0];
}

/* value, limited to `most` in a way that the verifier can follow. */
static __always_inline u64 d_most(u64 value, u64 most)
{
	d_keep(value);
	if (value > most)
		value = most;
	d_keep(value);
	return value;
}

/* Argument of one iteration; other data is in the frame. */
struct d_loop {
	struct d_frame *f;
	u64 a, b;
};

/*
 * A loop whose body is a function, long step(u32 i, struct d_loop *loop), which returns 1 to stop. With bpf_loop() the
 * verifier examines one iteration only.
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
 * For the verifier: an offset that is already at most `most`. Impossible values become 0 instead of `most`, because the
 * verifier treats an address plus a constant as another address and would follow both.
 */
static __always_inline u64 d_offset(u64 value, u64 most)
{
	d_keep(value);
	if (value > most)
		value = 0;
	d_keep(value);
	return value;
}

/* Mask for an offset in a string, or slightly after it: the next power of two, less one. */
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

/* 1 or 0, without a branch; hidden from the compiler. d_is_less() needs numbers below 2^63. */
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

/* Unreadable kernel memory reads as zeros. This is one step for the verifier, and a loop would be many. */
static __always_inline void d_clear(void *at, u64 size)
{
	bpf_probe_read_kernel(at, size, NULL);
}

#endif
