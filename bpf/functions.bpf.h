/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Calls of Erlang functions as they begin, whichever breakpoint shows them: which functions are wanted, what --when
 * says of arguments and results, and the record of a call that is shown.
 */
#ifndef ERLBPF_BPF_FUNCTIONS_BPF_H
#define ERLBPF_BPF_FUNCTIONS_BPF_H

#include "functions.h"
#include "counter.bpf.h"
#include "function_depth.bpf.h"
#include "measure.bpf.h"
#include "term.bpf.h"

const volatile struct functions_config functions_config = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FUNCTIONS_WANTED);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct functions_key);
	__type(value, struct functions_wanted);
} functions_wanted SEC(".maps");

const volatile struct functions_when functions_when = {};

/* Of the steps that test for an atom, which has another number on each node: the term, by step. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FUNCTIONS_WANTED);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct functions_key);
	__type(value, u64);
} functions_literals SEC(".maps");

struct functions_record {
	struct functions_call call;
	struct term_snapshot snapshot;
};

/* The context of a hit, for the functions below, which are verified separately. */
struct functions_hit {
	u64 id;
	u64 key;
	u64 registers;
	u32 os_id;
	u32 probe;
	u32 thread;
	u32 depth;
	u32 arity;
	u32 end;	 /* of those that end by it: enum functions_end */
	u32 is_in_other; /* the newest frame on the stack is the VM's */
	u32 pad;
	u64 begin_ns; /* when the program began */
	u64 own_ns;   /* that measuring had cost its process until then */
	u64 stop;
	u64 class; /* of the exception */
	u64 reason;
};

static __always_inline struct functions_wanted *functions_wanted_of(const struct erl_hit *hit, u64 what)
{
	struct functions_key key = { .id = what, .os_id = hit->os_id };

	return what ? bpf_map_lookup_elem(&functions_wanted, &key) : NULL;
}

/* The watchdog of our breakpoints (user/dist/watchdog.h) calls functions, too. */
static __always_inline bool is_watchdog(const struct erl_hit *hit, u64 id)
{
	return functions_wanted_of(hit, id);
}

/* A call that begins now, and is one of those that count. */
static __always_inline void functions_look(struct functions_wanted *wanted)
{
	if (erl_measures_from(bpf_ktime_get_ns()))
		__sync_fetch_and_add(&wanted->looked[generation_now()], 1);
}

static __always_inline void send(struct functions_record *r)
{
	r->call.name = name_of_process(r->call.id);
	if (bpf_ringbuf_output(&erl_ring, r, sizeof(r->call) + term_snapshot_size(&r->snapshot), ring_flags()))
		measure_account(MEASURE_UNPRINTED);
}

static __always_inline bool compares(s64 a, s64 b, u32 how)
{
	switch (how) {
	case FUNCTIONS_LESS: return a < b;
	case FUNCTIONS_AT_MOST: return a <= b;
	case FUNCTIONS_GREATER: return a > b;
	default: return a >= b;
	}
}

/* Compares words: each operand is one word. Only integers are ordered. */
static __always_inline bool term_passes(u64 term, u64 value, u32 how)
{
	if (how == FUNCTIONS_EQUAL || how == FUNCTIONS_UNEQUAL)
		return (term == value) == (how == FUNCTIONS_EQUAL);
	return (term & 0xf) == 0xf && compares((s64)term >> 4, (s64)value >> 4, how);
}

/* An element of a tuple; 0, which is no term, if it is none, or has fewer. */
static __always_inline u64 element_of(u64 term, u32 element)
{
	u64 header;

	if (TERM_TAG(term) != TERM_TAG_BOXED)
		return 0;
	header = name_word(TERM_ADDRESS(term));
	if (header & 0x3f || header >> 6 < element)
		return 0;
	return name_word(TERM_ADDRESS(term) + (u64)element * 8);
}

static __always_inline bool step_holds(const volatile struct functions_step *step, u32 number, u32 os_id, u64 term)
{
	struct functions_key key = { .id = number, .os_id = os_id };
	u64 value = step->value, *literal;

	if (step->element)
		term = element_of(term, step->element);
	if (step->is_atom) {
		literal = bpf_map_lookup_elem(&functions_literals, &key);
		value = literal ? *literal : 0;
	}
	return term && term_passes(term, value, step->compare);
}

/* Which tests hold of the arguments at `registers`, or of the result: a bit for each step. */
__noinline u32 functions_tests(u64 registers, u32 arity, u32 os_id, bool of_result)
{
	u32 tests = 0;

	for (u32 i = 0; i < FUNCTIONS_STEPS && i < functions_when.count; i++) {
		const volatile struct functions_step *step = &functions_when.steps[i];
		u32 argument = step->argument;
		u64 term;

		if (step->kind != FUNCTIONS_TEST || (argument == FUNCTIONS_RESULT) != of_result)
			continue;
		if (!of_result && argument >= arity)
			continue;
		term = name_word(registers + (of_result ? 0 : argument * 8));
		tests |= (u32)step_holds(step, i, os_id, term) << i;
	}
	return tests;
}

/* The truths are bits of a word, the newest lowest. */
__noinline bool functions_passes(u32 tests)
{
	u32 truths = 1;

	for (u32 i = 0; i < FUNCTIONS_STEPS && i < functions_when.count; i++) {
		u32 kind = functions_when.steps[i].kind, last = truths & 1;

		if (kind == FUNCTIONS_TEST)
			truths = truths << 1 | (tests >> i & 1);
		else if (kind == FUNCTIONS_NOT)
			truths ^= 1;
		else if (kind == FUNCTIONS_AND)
			truths = truths >> 1 & (~1u | last);
		else
			truths = truths >> 1 | last;
	}
	return truths & 1;
}

/* What may be return addresses: whoever reads the record knows what is code. The VM's own frames have such words, too.
 */
__noinline int functions_callers(struct functions_call *call, u64 stop, u32 depth)
{
	if (!call)
		return 0;
	call->callers_count = 0;
	for (u32 i = 0; i < FUNCTIONS_STACK_WORDS; i++) {
		/* In memory, not in a register: the verifier would follow each value. */
		u32 count = *(volatile u32 *)&call->callers_count;
		u64 word = 0;

		if (i >= depth || count >= FUNCTIONS_CALLERS ||
		    bpf_probe_read_user(&word, sizeof(word), (const void *)(stop + i * 8)))
			break;
		if (!word || word & 3)
			continue;
		call->callers[count & (FUNCTIONS_CALLERS - 1)] = FUNCTIONS_CALLER(word, i);
		call->callers_count = count + 1;
	}
	return 0;
}

/* A call that begins, all but its end. The place is one of term_place_get(). */
static __always_inline void fill(struct functions_record *r, const struct functions_hit *h, u64 what)
{
	u32 arity = h->arity < FUNCTIONS_ARGS ? h->arity : FUNCTIONS_ARGS;

	r->call.end_ns = 0;
	r->call.id = h->id;
	r->call.what = what;
	r->call.result = 0;
	r->call.os_id = h->os_id;
	r->call.probe = h->probe;
	r->call.arity = h->arity;
	r->call.class = 0;
	r->call.frame_words = function_stack_frame_words();
	functions_callers(&r->call, h->stop, h->depth);
	bpf_probe_read_user(r->call.args, sizeof(r->call.args), (const void *)h->registers);
	term_begin(&r->snapshot, FUNCTIONS_ARGUMENT_LINES);
	for (u32 i = 0; i < FUNCTIONS_ARGS; i++) {
		if (i >= arity)
			break;
		term_add(&r->snapshot, r->call.args[i]);
	}
	r->call.argument_lines = r->snapshot.count;
	r->call.start_ns = bpf_ktime_get_ns();
}

/* A term that can be a key: others count together. */
static __always_inline u64 key_of_term(u64 term)
{
	if (TERM_IS_ATOM(term))
		return erl_id_of(ERL_ID_ATOM, term >> 6);
	if ((term & 0xf) == 0xf)
		return (s64)term < 0 ? 0 : erl_id_of(ERL_ID_NUMBER, term >> 4);
	return erl_id_of_term(term);
}

/* Who called: the newest on the stack, behind so many words that the VM has put there of who called this as its last
 * act. */
static __always_inline u64 key_of(const struct functions_hit *h, u32 words)
{
	if (functions_config.key == FUNCTIONS_BY_CALLER)
		return erl_id_of(ERL_ID_CODE, name_word(h->stop + words * 8));
	if (functions_config.key == FUNCTIONS_BY_ARGUMENT && functions_config.argument < h->arity)
		return key_of_term(name_word(h->registers + (u64)functions_config.argument * 8));
	return 0;
}

static __always_inline struct functions_hit hit_of(const struct erl_hit *hit, u64 id, u32 depth)
{
	return (struct functions_hit){
		.id = id,
		.key = erl_process_key(hit, id),
		.os_id = hit->os_id,
		.probe = hit->probe,
		.thread = erl_thread(hit),
		.depth = depth,
	};
}

/* A call that begins, at vm:breakpoint-entry. */
static __always_inline struct functions_hit hit_of_entry(void *ctx, const struct erl_hit *hit, u64 id, u64 what)
{
	u64 stop = erl_arg(ctx, hit, 3);
	struct functions_hit h = hit_of(hit, id,
					function_stack_depth(stop, erl_arg(ctx, hit, 4), erl_arg(ctx, hit, 5)));

	h.registers = erl_arg(ctx, hit, 2);
	h.stop = stop;
	h.arity = erl_id_value(what) & 0xff;
	return h;
}

#endif
