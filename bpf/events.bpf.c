// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * From where do processes do what a probe tells of? The stack of the process that the thread runs is taken at each hit,
 * and what the event weighs is added to it: one, an argument, the words of a message that is copied a moment later, or
 * what is only known when a collection or a wait for a lock is over. It runs C code then, before which the JIT has put
 * its stack pointer into its structure.
 */
#include "kept.bpf.h"
#include "threads.bpf.h"
#include "heap_words.bpf.h"
#include "lock_name.bpf.h"

const volatile __u64 event_weight = EVENT_HITS; /* enum event_weight */
const volatile __u64 event_argument = 0;	/* with EVENT_ARGUMENT: its number */
const volatile __u64 event_is_stop = 0;		/* the process is about to stop */
const volatile __u64 event_by_process = 0;	/* stacks of different processes are different */
const volatile __u64 event_erl_pid = 0;		/* only this one, an id; 0: all */

/* What a thread has begun, and what it will weigh is not known yet. */
struct begun {
	u64 stack; /* key; 0: nothing */
	u64 what;  /* the term that is copied, the id of the process that is collected */
	u64 start_ns;
	u64 words, reclaimed; /* before a collection */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, EVENT_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct begun);
} event_begun SEC(".maps");

/* How many words of binaries a process had outside of its heap when its last collection was over, and when that was. */
struct base {
	u64 words, time_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, EVENT_PROCESSES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct off_key);
	__type(value, struct base);
} event_bases SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, EVENT_TOTALS);
	__type(key, u32);
	__type(value, u64);
} event_totals SEC(".maps");

static __always_inline void add_to(u32 total)
{
	u64 *value = bpf_map_lookup_elem(&event_totals, &total);

	if (value)
		__sync_fetch_and_add(value, 1);
}

/* A hit, and whose it is. */
struct event {
	struct erl_hit hit;
	const struct sample_node *node;
	const struct sample_thread *thread; /* NULL: one that runs no processes */
	u64 process;			    /* its address; 0: none */
	u64 now;
};

static __always_inline bool is_wanted(const struct event *e)
{
	return !event_erl_pid || (e->process && erl_id_of_term(user_word(e->process)) == event_erl_pid);
}

/* False: it does not count. */
static __always_inline bool enter(void *ctx, struct event *e)
{
	u32 tgid = bpf_get_current_pid_tgid() >> 32;

	*e = (struct event){};
	if (!erl_enter(ctx, &e->hit))
		return false;
	e->node = bpf_map_lookup_elem(&profile_nodes, &tgid);
	if (!e->node)
		return false;
	e->thread = thread_here();
	if (e->thread && e->node->heap)
		e->process = user_word(e->thread->process);
	if (!is_wanted(e))
		return false;
	erl_count(&e->hit);
	e->now = bpf_ktime_get_ns();
	return true;
}

static __always_inline void take_stack(struct sample_stack *stack, const struct event *e)
{
	sample_begin(stack, e->node);
	stack->ip = 0;
	if (e->thread) {
		stack->kind = e->thread->kind;
		stack->flags = !e->process && user_word(e->thread->port) ? SAMPLE_IN_PORT : 0;
	}
	if (!e->process)
		return;
	stack->flags = SAMPLE_IN_PROCESS;
	if (event_is_stop) {
		stack->ip = kept_code(e->node, e->process);
		stack->flags |= SAMPLE_IN_MADE;
	}
	if (event_by_process)
		stack->process = user_word(e->process);
	kept_walk(stack, e->node, e->process);
}

/* A lock that is known by nothing but its address is one among others: stacks would be as many as there are locks. */
static __always_inline void take_lock(struct sample_stack *stack, const struct lock_name *lock)
{
	stack->flags |= SAMPLE_FOR_LOCK;
	stack->lock_kind = lock->kind;
	stack->lock = lock->kind == LOCKS_OTHER ? 0 : lock->what;
}

/* The key of its stack, 0: there is no room. `lock`: what it waits for, or NULL. */
static __always_inline u64 keep_stack(const struct event *e, const struct lock_name *lock)
{
	struct kept_place *place = kept_place_take();
	u64 key;

	if (!place) {
		add_to(EVENT_LOST_STACKS);
		return 0;
	}
	take_stack(&place->stack.stack, e);
	if (lock)
		take_lock(&place->stack.stack, lock);
	key = kept_add(place);
	kept_place_leave(place);
	if (!key)
		add_to(EVENT_LOST_STACKS);
	return key;
}

static __always_inline void weigh(u64 key, u64 weight)
{
	struct kept_stack *stack = kept_find(key);

	if (!stack)
		return;
	__sync_fetch_and_add(&stack->weights[0], weight);
	add_to(EVENT_HIT_TOTAL);
}

static __always_inline void begin(const struct event *e, const struct begun *begun)
{
	u32 thread = erl_thread(&e->hit);

	if (bpf_map_update_elem(&event_begun, &thread, begun, BPF_ANY))
		add_to(EVENT_LOST_OTHERS);
}

/* What the thread has begun, which is over then; its `stack` is 0 if there is nothing. */
static __always_inline struct begun end(const struct event *e)
{
	u32 thread = erl_thread(&e->hit);
	struct begun *begun = bpf_map_lookup_elem(&event_begun, &thread), found = {};

	if (begun) {
		found = *begun;
		begun->stack = 0;
	}
	return found;
}

/* Hits. */

static __always_inline u64 argument(void *ctx, const struct event *e)
{
	switch (event_argument) {
	case 0: return erl_arg(ctx, &e->hit, 0);
	case 1: return erl_arg(ctx, &e->hit, 1);
	case 2: return erl_arg(ctx, &e->hit, 2);
	case 3: return erl_arg(ctx, &e->hit, 3);
	case 4: return erl_arg(ctx, &e->hit, 4);
	case 5: return erl_arg(ctx, &e->hit, 5);
	case 6: return erl_arg(ctx, &e->hit, 6);
	case 7: return erl_arg(ctx, &e->hit, 7);
	case 8: return erl_arg(ctx, &e->hit, 8);
	}
	return 0;
}

/* A message. Its size is known when it is copied: an immediate is not, and has no words. */
static __always_inline void send(void *ctx, const struct event *e, u64 stack)
{
	u64 term = erl_arg(ctx, &e->hit, ERL_ARG_TERM);
	struct begun begun = { .stack = stack, .what = term };

	if ((term & 3) == 3)
		weigh(stack, 0);
	else
		begin(e, &begun);
}

SEC("usdt/erlang:*")
int event_hit(void *ctx)
{
	struct event e;
	u64 stack, weight = 1;

	if (!enter(ctx, &e) || !erl_measures_from(e.now))
		return 0;
	if (event_weight == EVENT_ARGUMENT)
		weight = argument(ctx, &e);
	/* A size of 0 has no stack, but of a difference that is negative, either. */
	if ((s64)weight <= 0)
		return 0;
	stack = keep_stack(&e, NULL);
	if (!stack)
		return 0;
	if (event_weight == EVENT_SENT)
		send(ctx, &e, stack);
	else
		weigh(stack, weight);
	return 0;
}

/* A function of the VM that the user names begins. */
SEC("usdt/vm:uprobe-entry")
int event_function(void *ctx)
{
	struct event e;
	u64 stack = enter(ctx, &e) && erl_measures_from(e.now) ? keep_stack(&e, NULL) : 0;

	if (stack)
		weigh(stack, 1);
	return 0;
}

SEC("usdt/vm:message-send-copy")
int event_copy(void *ctx)
{
	u64 words;
	struct begun begun;
	struct event e;

	if (!enter(ctx, &e))
		return 0;
	begun = end(&e);
	if (!begun.stack || begun.what != erl_arg(ctx, &e.hit, 0))
		return 0;
	words = erl_arg(ctx, &e.hit, 1);
	weigh(begun.stack, words);
	return 0;
}

/* Collections. */

static __always_inline u64 binary_words(const struct event *e, u64 process)
{
	return user_word(process + e->node->off_heap);
}

static __always_inline void set_base(const struct event *e, u64 id, u64 words)
{
	struct off_key key = { .id = id, .os_id = e->hit.os_id };
	struct base base = { .words = words, .time_ns = e->now };

	if (bpf_map_update_elem(&event_bases, &key, &base, BPF_ANY))
		add_to(EVENT_LOST_OTHERS);
}

/* Of binaries the process has no mark of how many words there were. */
static __always_inline u64 binary_growth(const struct event *e, u64 id, u64 process)
{
	struct off_key key = { .id = id, .os_id = e->hit.os_id };
	struct base *base = bpf_map_lookup_elem(&event_bases, &key);
	u64 words = binary_words(e, process);

	if (!base || !erl_measures_from(base->time_ns)) {
		add_to(EVENT_UNKNOWN_BASE);
		return 0;
	}
	return words > base->words ? words - base->words : 0;
}

/* Since its last collection: on its heap, in fragments that wait to become part of it, and in a heap that was put
 * aside. */
static __always_inline u64 heap_growth(const struct event *e, u64 process)
{
	u64 mark = user_word(process + e->node->high_water), top = heap_field(process, erl_config.heap.htop);
	u64 heap = heap_field(process, erl_config.heap.heap);
	u64 fragments = heap_field(process, erl_config.heap.fragments);

	/* With a heap put aside, this one is new: its mark is that of the other. */
	if (heap_field(process, erl_config.heap.abandoned))
		return fragments + (top - heap) / 8;
	return fragments + (top > mark && mark >= heap ? (top - mark) / 8 : 0);
}

/* One that a dirty scheduler takes over has begun before, on the scheduler that the process ran on. */
static __always_inline bool is_handed_over(u64 process)
{
	return erl_config.args[0].form != ERL_FORM_TEXT &&
	       heap_field(process, erl_config.pids.state_offset) & ERL_STATE_DIRTY &&
	       heap_field(process, erl_config.heap.flags) & ERL_FLAGS_DIRTY_GC;
}

static __always_inline void add_growth(const struct event *e, u64 id, u64 process)
{
	u64 words = heap_growth(e, process) + binary_growth(e, id, process);
	u64 stack = words ? keep_stack(e, NULL) : 0;

	if (stack)
		weigh(stack, words);
}

/* The process that is collected, whose stack it is also on a dirty scheduler. 0: its memory is not known. */
static __always_inline u64 enter_collection(void *ctx, struct event *e, u64 *id)
{
	if (!enter(ctx, e) || !erl_config.heap.heap)
		return 0;
	*id = erl_arg_id(ctx, &e->hit, 0);
	return *id ? erl_process_of(*id) : 0;
}

static __always_inline int collection_begins(void *ctx)
{
	struct begun begun = {};
	struct event e;
	u64 id, process = enter_collection(ctx, &e, &id);

	if (!process || !erl_measures_from(e.now))
		return 0;
	e.process = process;
	if (event_weight == EVENT_GROWTH) {
		if (e.node->high_water && !is_handed_over(process))
			add_growth(&e, id, process);
		return 0;
	}
	begun.stack = keep_stack(&e, NULL);
	begun.what = id;
	begun.start_ns = e.now;
	begun.words = heap_words(process);
	begun.reclaimed = heap_reclaimed(process);
	begin(&e, &begun);
	return 0;
}

/* As in gc.bpf.c: a note says it, before it is added to the account; dirty schedulers share one that is out of reach.
 */
static __always_inline s64 reclaimed(void *ctx, const struct event *e, const struct begun *begun, u64 process)
{
	if (erl_config.args[1].form != ERL_FORM_NONE)
		return (s64)erl_arg(ctx, &e->hit, 1);
	if (heap_field(process, erl_config.pids.state_offset) & ERL_STATE_DIRTY)
		return begun->words - heap_words(process);
	return heap_reclaimed(process) - begun->reclaimed;
}

static __always_inline int collection_ends(void *ctx)
{
	struct begun begun;
	struct event e;
	u64 id, process = enter_collection(ctx, &e, &id);
	s64 words;

	if (!process)
		return 0;
	if (event_weight == EVENT_GROWTH) {
		set_base(&e, id, binary_words(&e, process));
		return 0;
	}
	begun = end(&e);
	/* It may have ended unseen, while the probes were away. */
	if (!begun.stack || begun.what != id || !erl_measures_from(begun.start_ns))
		return 0;
	words = event_weight == EVENT_RECLAIMED ? reclaimed(ctx, &e, &begun, process) : (s64)(e.now - begun.start_ns);
	weigh(begun.stack, words > 0 ? words : 0);
	return 0;
}

SEC("usdt/erlang:gc_minor-start")
int event_minor_begins(void *ctx)
{
	return collection_begins(ctx);
}

SEC("usdt/erlang:gc_major-start")
int event_major_begins(void *ctx)
{
	return collection_begins(ctx);
}

SEC("usdt/erlang:gc_minor-end")
int event_minor_ends(void *ctx)
{
	return collection_ends(ctx);
}

SEC("usdt/erlang:gc_major-end")
int event_major_ends(void *ctx)
{
	return collection_ends(ctx);
}

/* It has no binaries yet. */
SEC("usdt/erlang:process-spawn")
int event_spawn(void *ctx)
{
	struct event e;
	u64 id;

	if (!enter(ctx, &e))
		return 0;
	id = erl_arg_id(ctx, &e.hit, 0);
	if (id)
		set_base(&e, id, 0);
	return 0;
}

/* Its entry makes room for others. */
SEC("usdt/erlang:process-exit")
int event_exit(void *ctx)
{
	struct off_key key;
	struct event e;

	if (!enter(ctx, &e))
		return 0;
	key = (struct off_key){ .id = erl_arg_id(ctx, &e.hit, 0), .os_id = e.hit.os_id };
	bpf_map_delete_elem(&event_bases, &key);
	return 0;
}

/* Locks. */

SEC("usdt/vm:lock-wait")
int event_lock_wait(void *ctx)
{
	struct begun begun = {};
	struct event e;
	struct lock_name lock;

	if (!enter(ctx, &e) || !erl_measures_from(e.now))
		return 0;
	lock = lock_name(ctx, &e.hit);
	begun.stack = keep_stack(&e, &lock);
	begun.start_ns = e.now;
	begin(&e, &begun);
	return 0;
}

SEC("usdt/vm:lock-taken")
int event_lock_taken(void *ctx)
{
	struct begun begun;
	struct event e;

	if (!enter(ctx, &e))
		return 0;
	begun = end(&e);
	if (begun.stack && erl_measures_from(begun.start_ns))
		weigh(begun.stack, e.now - begun.start_ns);
	return 0;
}
