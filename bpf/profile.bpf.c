// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Where do nodes spend processor time?
 *
 * A clock of each CPU interrupts whatever runs there. Of a node's thread, this takes the stack of the kernel, that of
 * C and, if it runs an Erlang process, the process's own. Equal stacks are counted together, in the kernel.
 *
 * C code that the JIT calls runs on the thread's stack, whose frames only tables of the
 * file describe. They are not read here: words that may be return addresses are taken with their places, and
 * user/profile/unwind.c says later which of them are.
 *
 * A VM without JIT runs Erlang code in process_main(), which has the address of the next instruction and the end of the
 * process's stack in registers while it calls nothing (user/erlang/emulator.c).
 */
#include <linux/bpf_perf_event.h>

#include "registers.bpf.h"
#include "generation.bpf.h"
#include "stacks.bpf.h"
#include "threads.bpf.h"

#include <bpf/bpf_tracing.h>

/* Not BPF_F_NO_PREALLOC: until Linux 6.1, programs of perf events may only use what is there. */
#define STACKS(name)                                                                                                   \
	struct {                                                                                                       \
		__uint(type, BPF_MAP_TYPE_HASH);                                                                       \
		__uint(max_entries, SAMPLE_STACKS);                                                                    \
		__type(key, u64);                                                                                      \
		__type(value, struct sample_stack);                                                                    \
	} name SEC(".maps")

/* One per generation. */
STACKS(profile_stacks_0);
STACKS(profile_stacks_1);

/* The clock of a CPU does not interrupt itself: one place for each is enough. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct sample_stack);
} profile_places SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SAMPLE_TOTALS);
	__type(key, u32);
	__type(value, u64);
} profile_totals SEC(".maps");

static __always_inline void add_to(u32 total)
{
	u64 *value = bpf_map_lookup_elem(&profile_totals, &total);

	if (value)
		(*value)++;
}

/* What runs, and what was found of it. */
struct taking {
	struct walking walking;
	u64 sp, frame_pointer;
	u64 process;
	u64 at;		/* of the word with `made` */
	u64 made;	/* the address of the JIT to which C code returns, 0: not found */
	u64 process_at; /* where the address of the process is on the stack of C, the oldest place; 0: nowhere */
	bool restores_stop;
	bool is_interpreting; /* process_main() itself */
};

/* The stack of C. */

#define MOV_RBP_RSP 0xec8948	   /* mov %rbp, %rsp, as the JIT writes it */
#define MOV_RBP_RSP_OTHER 0xe58b48 /* and as others do */
#define SAVED_REGISTERS 6

/*
 * Is it where the JIT's code goes on after a call of C? Then it goes back to the process's stack with the next
 * instruction: from c_p->stop, or from rbp if C code needed not know (emit_leave_runtime() in beam_asm.hpp).
 */
static __always_inline bool goes_on_in_erlang(struct taking *s, u64 address)
{
	u32 code = 0;

	bpf_probe_read_user(&code, sizeof(code), (const void *)address);
	s->restores_stop = code == s->walking.node->restores_stop;
	return s->restores_stop || (code & 0xffffff) == MOV_RBP_RSP || (code & 0xffffff) == MOV_RBP_RSP_OTHER;
}

/* Does the word lead further up the stack, as a frame pointer that was saved? */
static __always_inline bool leads_up(const struct taking *s, u64 word, u32 i)
{
	u64 place = (word - s->sp) / 8;

	return !(word & 7) && place > i && place < SAMPLE_NATIVE_WORDS;
}

static __always_inline bool is_in_loop(const struct taking *s, u64 address)
{
	const struct sample_range *loop = &s->walking.node->loop;

	return address - loop->start < loop->end - loop->start;
}

/* Of the emulator: its first word leads into process_main(), with or without operands in its upper half. */
static __always_inline bool is_instruction(const struct taking *s, u64 address)
{
	u64 word = address & 7 ? 0 : user_word(address);

	return is_in_loop(s, word) || is_in_loop(s, (u32)word);
}

/* process_main() has called the C code that returns to word `i`: what it does is in a register, which that may have
 * saved. */
static __always_inline u64 saved_instruction(const struct taking *s, u32 i)
{
	u64 word;

	for (u32 saved = 1; saved <= SAVED_REGISTERS && saved <= i; saved++) {
		word = user_word(s->sp + (u64)(i - saved) * 8);
		if (is_instruction(s, word))
			return word;
	}
	word = user_register(USER_I);
	return is_instruction(s, word) ? word : 0;
}

/* Where a caller goes on is behind the call; here it is the call itself. */
static long end_in_loop(struct taking *s, u32 i, u64 word)
{
	struct sample_stack *stack = s->walking.stack;
	u64 code = s->process ? saved_instruction(s, i) : 0;
	u32 n = stack->native_count;

	if (n < SAMPLE_NATIVE) {
		stack->native[n] = sample_word(code ? code + 1 : word, i);
		stack->native_count = n + 1;
		stack->flags |= code ? SAMPLE_FROM_MADE : 0;
	}
	return code != 0;
}

static long scan_word(u32 i, struct taking *s)
{
	struct sample_stack *stack = s->walking.stack;
	u32 n = stack->native_count;
	u64 word = 0;
	bool is_last;

	if (bpf_probe_read_user(&word, sizeof(word), (const void *)(s->sp + (u64)i * 8)))
		return 1;
	if (is_in_loop(s, word))
		return end_in_loop(s, i, word);
	if (s->process && word == s->process)
		s->process_at = s->sp + (u64)i * 8;
	is_last = is_made(s->walking.node, word) && goes_on_in_erlang(s, word);
	if (leads_up(s, word, i))
		word = (word - s->sp) / 8;
	else if (!is_last && !is_of_file(s->walking.node, word))
		return 0;
	if (n >= SAMPLE_NATIVE)
		return 1;
	stack->native[n] = sample_word(word, i);
	stack->native_count = n + 1;
	if (is_last) {
		stack->flags |= SAMPLE_FROM_MADE;
		s->made = word;
		s->at = s->sp + (u64)i * 8;
	}
	return is_last;
}

/* The larger of those that lead into the block: what the first function has saved may also be the top of the heap. */
static __always_inline u64 largest_below(const struct taking *s, u64 at, int words)
{
	u64 found = 0;

	for (int i = 1; i <= words; i++) {
		u64 word = user_word(at - i * 8);

		if (is_in_block(&s->walking, word) && word > found)
			found = word;
	}
	return found;
}

/*
 * rbp, as it was when the JIT called C. Functions save the registers that they change in the order r15, r14, r13, r12,
 * rbp, rbx. r13 is the process: rbp is one of the two words below it. Who saves no r13 has rbp among the first words
 * below his return address, and if nobody saves it, it is still there.
 */
static __always_inline u64 saved_stack_pointer(const struct taking *s)
{
	u64 found = s->process_at ? largest_below(s, s->process_at, 2) : 0;

	if (!found)
		found = is_in_block(&s->walking, s->frame_pointer) ? s->frame_pointer
								   : largest_below(s, s->at, SAVED_REGISTERS);
	return found;
}

static __always_inline u64 erlang_stack_pointer(const struct taking *s)
{
	u64 stop = user_word(s->process + s->walking.node->stop), end;

	if (is_in_block(&s->walking, s->sp))
		return s->sp;
	if (s->is_interpreting) {
		if (s->walking.node->stack_register >= USER_REGISTERS)
			return 0;
		end = user_register(s->walking.node->stack_register & 31);
		return is_in_block(&s->walking, end) ? end : stop;
	}
	if (s->made && !s->restores_stop) {
		u64 saved = saved_stack_pointer(s);

		return saved ? saved : stop;
	}
	return stop;
}

static __always_inline bool find_process(struct taking *s, u64 process)
{
	u64 term = 0;

	s->process = process;
	bpf_probe_read_user(&term, sizeof(term), (const void *)process);
	/* Its memory may be another's by now. */
	if (s->walking.node->process && (process != s->walking.node->process || term != s->walking.node->term))
		return false;
	walk_block(&s->walking, process);
	s->walking.stack->flags |= SAMPLE_IN_PROCESS;
	if (s->walking.node->by_process)
		s->walking.stack->process = term;
	if (erl_load(process + s->walking.node->state, 4, false) & ERL_STATE_IN_GC) {
		s->walking.stack->flags |= SAMPLE_IN_GC;
		s->walking.stack->process = term; /* collections are shown by whose they are */
	}
	return true;
}

/* What a scheduler does. False: nobody asked for it. */
static __always_inline bool look_at_thread(struct taking *s)
{
	const struct sample_thread *thread = thread_here();
	u64 process;

	if (!thread)
		return !s->walking.node->process;
	s->walking.stack->kind = thread->kind;
	s->walking.stack->scheduler = thread->number;
	process = user_word(thread->process);
	if (process && s->walking.node->heap)
		return find_process(s, process);
	if (s->walking.node->process)
		return false;
	if (user_word(thread->port))
		s->walking.stack->flags |= SAMPLE_IN_PORT;
	/* ERTS_SSI_FLG_WAITING: set before a scheduler without work begins to spin (sched_prep_spin_wait()). */
	else if (thread->sleep_flags && erl_load(thread->sleep_flags, 4, false) & 1 << 3)
		s->walking.stack->flags |= SAMPLE_WAITS;
	return true;
}

/* Once an instruction has its operands, the compiler may use the register for something else, and keep a copy. */
static __always_inline u64 instruction_now(const struct taking *s)
{
	static const u8 registers[] = { USER_I_AND_COPIES };

#pragma unroll
	for (u32 i = 0; i < sizeof(registers); i++) {
		u64 code = user_register(registers[i]);

		if (is_instruction(s, code))
			return code;
	}
	return 0;
}

/* In process_main(), the instruction stands for where the process is. */
static __always_inline void look_for_instruction(struct taking *s)
{
	u64 code;

	s->is_interpreting = s->process && is_in_loop(s, s->walking.stack->ip);
	code = s->is_interpreting ? instruction_now(s) : 0;
	if (!code)
		return;
	s->walking.stack->ip = code;
	s->walking.stack->flags |= SAMPLE_IN_MADE;
}

static __always_inline void take_stacks(struct bpf_perf_event_data *ctx, struct taking *s)
{
	struct sample_stack *stack = s->walking.stack;
	long size = 0;

	s->sp = user_register(USER_SP);
	s->frame_pointer = user_register(USER_FP);
	stack->ip = user_register(USER_IP);
	if (s->frame_pointer >= s->sp && s->frame_pointer - s->sp < SAMPLE_NATIVE_WORDS * 8)
		stack->frame_pointer = (s->frame_pointer - s->sp) / 8;
	if (is_made(s->walking.node, stack->ip))
		stack->flags |= SAMPLE_IN_MADE;
	look_for_instruction(s);
	if (!(stack->flags & SAMPLE_IN_MADE && s->is_interpreting) && (!s->process || !is_in_block(&s->walking, s->sp)))
		bpf_loop(SAMPLE_NATIVE_WORDS, scan_word, s, 0);
	if (s->process)
		walk(&s->walking, erlang_stack_pointer(s));
	if ((s64)PT_REGS_IP((struct pt_regs *)ctx) < 0)
		size = bpf_get_stack(ctx, stack->kernel, sizeof(stack->kernel), 0);
	stack->kernel_count = size > 0 ? size / 8 : 0;
}

static __always_inline void add_in(void *stacks, const struct sample_stack *stack)
{
	u64 key = digest(stack);
	struct sample_stack *known = bpf_map_lookup_elem(stacks, &key);

	/* Another CPU may come with the same one at the same time. */
	if (!known && !bpf_map_update_elem(stacks, &key, stack, BPF_NOEXIST)) {
		add_to(SAMPLE_KEPT);
		return;
	}
	known = bpf_map_lookup_elem(stacks, &key);
	if (known)
		__sync_fetch_and_add(&known->count, 1);
	else
		add_to(SAMPLE_LOST);
}

static __always_inline void add(const struct sample_stack *stack)
{
	if (generation_now())
		add_in(&profile_stacks_1, stack);
	else
		add_in(&profile_stacks_0, stack);
}

/* A section of no kind that libbpf knows: user/load/relocate.c takes it. */
SEC("profile/clock")
int profile_clock(struct bpf_perf_event_data *ctx)
{
	u64 pid_tgid = bpf_get_current_pid_tgid();
	u32 zero = 0, tgid = pid_tgid >> 32;
	const struct sample_node *node = bpf_map_lookup_elem(&profile_nodes, &tgid);
	struct sample_stack *stack = bpf_map_lookup_elem(&profile_places, &zero);
	struct taking s = { .walking = { .stack = stack, .node = node } };

	if (!node || !stack) {
		add_to(tgid ? SAMPLE_OTHERS : SAMPLE_IDLE);
		return 0;
	}
	add_to(SAMPLE_SAMPLES);
	sample_begin(stack, node);
	if (!look_at_thread(&s)) {
		add_to(SAMPLE_FILTERED);
		return 0;
	}
	take_stacks(ctx, &s);
	add(stack);
	return 0;
}
