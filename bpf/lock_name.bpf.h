/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Which lock does a thread wait for, at vm:lock-wait? What the functions that wait are given names the lock of a
 * process; of a read/write lock it is only the event that will wake the thread. The lock itself is then in a register
 * or on the stack of the callers, and is known by its queue, in which the event is.
 */
#ifndef ERLBPF_BPF_LOCK_NAME_BPF_H
#define ERLBPF_BPF_LOCK_NAME_BPF_H

#include "locks.h"
#include "name.bpf.h"
#include "table.bpf.h"

struct lock_name {
	u64 kind; /* enum locks_kind */
	u64 what; /* an id; 0: not known */
	u64 of;	  /* the process whose it is, an id; 0: nobody's */
};

/* Equal in 25.2.3, 27.3.4.1 and 29.1.1: ethr_ts_event (ethread.h), ethr_mutex_base_ (ethr_mutex.h). */
#define LOCKS_EVENT 16 /* of a thread's ethr_ts_event */
#define LOCKS_EVENT_PREV 8
#define LOCKS_QUEUE 48 /* of a lock */
#define LOCKS_QUEUE_LOOKS 8
#define LOCKS_STACK_WORDS 64	 /* that are looked at */
#define LOCKS_STACK_SIZE 65536	 /* around its pointer: no lock of the VM is on a stack */
#define LOCKS_VM_SIZE (64 << 20) /* how far its data are from its code at most */
#define LOCKS_REGISTERS 10

struct locks_stack {
	u64 pointer;
	u64 saved[LOCKS_REGISTERS]; /* registers that functions keep for their callers */
};

static __always_inline void read_stack(const void *ctx, struct locks_stack *stack)
{
	stack->pointer = erl_stack_at_entry(ctx);
#ifdef __TARGET_ARCH_arm64
#pragma unroll
	for (int i = 0; i < LOCKS_REGISTERS; i++)
		stack->saved[i] = erl_word(ctx, (19 + i) * 8);
#else
#pragma unroll
	for (int i = 0; i < 6; i++)
		stack->saved[i] = erl_word(ctx, i * 8);
#endif
}

static __always_inline u64 stack_word(const struct locks_stack *stack, u32 i)
{
	if (i < LOCKS_REGISTERS)
		return stack->saved[i];
	return erl_load(stack->pointer + (u64)(i - LOCKS_REGISTERS) * 8, 8, false);
}

static __always_inline bool may_be(const struct locks_stack *stack, u64 address)
{
	return !(address & 7) && address > 65536 && !(address >> 48) &&
	       address - stack->pointer + LOCKS_STACK_SIZE >= 2 * LOCKS_STACK_SIZE;
}

/* Is the thread in the queue of a lock there? It was put at the end, and others may have come after. */
static __always_inline bool has_queued(u64 lock, u64 thread)
{
	u64 queued = erl_load(lock + LOCKS_QUEUE, 8, false);

	for (int i = 0; i < LOCKS_QUEUE_LOOKS && queued; i++) {
		if (queued == thread)
			return true;
		queued = erl_load(queued + LOCKS_EVENT_PREV, 8, false);
	}
	return false;
}

/* The read/write lock that the thread waits for, 0 if it is not found. */
__noinline u64 lock_of(const struct locks_stack *stack, u64 thread)
{
	if (!stack)
		return 0;
	for (u32 i = 0; i < LOCKS_REGISTERS + LOCKS_STACK_WORDS; i++) {
		u64 word = stack_word(stack, i);

		if (may_be(stack, word) && has_queued(word, thread))
			return word;
	}
	return 0;
}

/* A table found up the stack: the one that contains the lock. */
__noinline u64 table_on(const struct locks_stack *stack)
{
	if (!stack)
		return 0;
	for (u32 i = 0; i < LOCKS_REGISTERS + LOCKS_STACK_WORDS; i++) {
		u64 word = stack_word(stack, i), table = may_be(stack, word) ? table_at(word) : 0;

		if (table)
			return table;
	}
	return 0;
}

static __always_inline bool is_of_vm(const void *ctx, u64 address)
{
	return address - erl_word(ctx, ERL_IP_OFFSET) + LOCKS_VM_SIZE < 2 * LOCKS_VM_SIZE;
}

static __always_inline struct lock_name lock_name_of_vm(const void *ctx, const struct erl_hit *hit)
{
	struct locks_stack stack = {};
	struct lock_name name = { .kind = LOCKS_VM };
	u64 lock, table;

	read_stack(ctx, &stack);
	lock = lock_of(&stack, erl_arg(ctx, hit, 3) - LOCKS_EVENT);
	name.what = lock ? erl_id_of(ERL_ID_ADDRESS, lock) : 0;
	if (lock && is_of_vm(ctx, lock))
		return name;
	table = lock ? table_at(lock - TABLE_LOCK) : 0;
	if (!table)
		table = table_on(&stack);
	name.kind = table ? LOCKS_TABLE : LOCKS_OTHER;
	if (table)
		name.what = table;
	return name;
}

/* A process has five; that of the lowest bit is the first to be waited for. */
static __always_inline u64 name_of_bit(u32 bits)
{
	static const struct name_text names[] = {
		{ "main" }, { "msgq" }, { "btm" }, { "status" }, { "trace" },
	};

	if (bits & 1)
		return name_of_text(&names[0]);
	if (bits & 2)
		return name_of_text(&names[1]);
	if (bits & 4)
		return name_of_text(&names[2]);
	if (bits & 8)
		return name_of_text(&names[3]);
	return bits & 16 ? name_of_text(&names[4]) : 0;
}

static __always_inline struct lock_name lock_name_of_process(const void *ctx, const struct erl_hit *hit)
{
	return (struct lock_name){
		.kind = LOCKS_PROCESS,
		.of = erl_arg_id(ctx, hit, 0),
		.what = name_of_bit(erl_arg(ctx, hit, 1) & erl_arg(ctx, hit, 2)),
	};
}

static __always_inline struct lock_name lock_name(const void *ctx, const struct erl_hit *hit)
{
	if (erl_config.args[3].form == ERL_FORM_NONE)
		return lock_name_of_process(ctx, hit);
	return lock_name_of_vm(ctx, hit);
}

#endif
