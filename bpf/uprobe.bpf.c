// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Functions of the VM that the user names: how often they are called, how long calls take, or what each
 * is given and returns. Arguments are taken when a function is entered, since memory may be another's
 * when it returns, and kept until then.
 */
#include "measure.bpf.h"
#include "counter.bpf.h"
#include "term.bpf.h"
#include "uprobe.h"

#define UPROBE_COUNT 0 /* enum function_mode */
#define UPROBE_TIME 1

const volatile struct uprobe_config uprobe_config = {};

struct uprobe_record {
	struct uprobe_call call;
	struct term_snapshot snapshot;
};

/* Calls that are shown when they end, by function, thread and stack as in struct erl_saved_key. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UPROBE_CALLS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct erl_saved_key);
	__type(value, struct uprobe_record);
} uprobe_calls SEC(".maps");

/* False: not a hit, or of a process that is not wanted. */
static __always_inline bool enter(void *ctx, struct erl_hit *hit, u64 *id)
{
	if (!erl_enter(ctx, hit))
		return false;
	*id = erl_arg_id(ctx, hit, 0);
	return measure_wants(*id);
}

static __always_inline u64 function_id(const struct erl_hit *hit)
{
	return erl_id_of(ERL_ID_FUNCTION, hit->function);
}

static __always_inline struct erl_saved_key key_of(const struct erl_hit *hit, u64 stack)
{
	return erl_saved_key(hit->function, stack);
}

static __always_inline void keep_value(struct uprobe_record *r, struct uprobe_value *to, u64 value, u32 form, u32 size)
{
	to->value = value;
	to->form = form;
	to->size = size;
	if (form == ERL_FORM_TERM)
		term_add(&r->snapshot, value);
	if (form == ERL_FORM_MFA)
		term_keep(&r->snapshot, value, 3 * 8);
	if (form == ERL_FORM_TEXT || form == ERL_FORM_BYTES)
		term_keep(&r->snapshot, value, size);
}

/* A macro, since the place of an argument has to be a constant before anything is optimised. */
#define KEEP_ARGUMENT(n)                                                                                               \
	keep_value(r, &r->call.values[n], erl_arg(ctx, hit, (n) + 1), erl_config.args[(n) + 1].form,                   \
		   erl_config.args[(n) + 1].text_size)

static __always_inline void keep_arguments(void *ctx, const struct erl_hit *hit, struct uprobe_record *r)
{
	KEEP_ARGUMENT(0);
	KEEP_ARGUMENT(1);
	KEEP_ARGUMENT(2);
	KEEP_ARGUMENT(3);
	KEEP_ARGUMENT(4);
	KEEP_ARGUMENT(5);
	KEEP_ARGUMENT(6);
	KEEP_ARGUMENT(7);
	KEEP_ARGUMENT(8);
	r->call.values[UPROBE_RESULT].form = ERL_FORM_NONE;
	r->call.argument_lines = r->snapshot.count;
}

static __always_inline bool send(struct uprobe_record *r)
{
	r->call.name = name_of_process(r->call.id);
	return !bpf_ringbuf_output(&erl_ring, r, sizeof(r->call) + term_snapshot_size(&r->snapshot), ring_flags());
}

static __always_inline void begin(void *ctx, const struct erl_hit *hit, u64 id, struct uprobe_record *r)
{
	r->call.end_ns = 0;
	r->call.id = id;
	r->call.reason = 0;
	r->call.os_id = hit->os_id;
	r->call.probe = hit->probe;
	r->call.function = hit->function;
	term_begin(&r->snapshot, UPROBE_ARGUMENT_LINES);
	keep_arguments(ctx, hit, r);
	/* Looking at arguments is no part of the call. */
	r->call.start_ns = bpf_ktime_get_ns();
}

static __always_inline void begin_call(void *ctx, const struct erl_hit *hit, u64 id)
{
	struct erl_saved_key key = key_of(hit, erl_stack_at_entry(ctx) + ERL_RETURN_POPS);
	struct term_place *place = term_place_get();
	bool is_whole = erl_config.flags & ERL_CONFIG_ENTRY_ONLY, is_kept;
	struct uprobe_record *r;

	if (!place) {
		erl_count_lost(hit);
		return;
	}
	r = (struct uprobe_record *)term_place_head(place, struct uprobe_call);
	begin(ctx, hit, id, r);
	is_kept = is_whole ? send(r) : !bpf_map_update_elem(&uprobe_calls, &key, r, BPF_ANY);
	term_place_put(place);
	if (!is_kept)
		erl_count_lost(hit);
	else if (is_whole)
		erl_count(hit);
}

/* A BIF that raises an exception, or goes on in Erlang code, returns no value. */
static __always_inline void keep_result(void *ctx, const struct erl_hit *hit, struct uprobe_record *r)
{
	u64 value = erl_arg(ctx, hit, 1);
	u32 form = erl_config.args[1].form;

	if (erl_config.args[ERL_ARG_STATE].form != ERL_FORM_NONE && !value) {
		r->call.reason = erl_arg(ctx, hit, ERL_ARG_STATE);
		value = erl_arg(ctx, hit, ERL_ARG_TERM);
	}
	term_resume(&r->snapshot);
	keep_value(r, &r->call.values[UPROBE_RESULT], value, form, erl_config.args[1].text_size);
}

static __always_inline void end_call(void *ctx, const struct erl_hit *hit)
{
	struct erl_saved_key key = key_of(hit, erl_word(ctx, ERL_SP_OFFSET));
	struct uprobe_record *r = bpf_map_lookup_elem(&uprobe_calls, &key);

	/* Its entry came before us, or was counted as lost. */
	if (!r)
		return;
	r->call.end_ns = bpf_ktime_get_ns();
	r->call.probe = hit->probe;
	if (r->call.end_ns - r->call.start_ns >= measure.min_ns) {
		keep_result(ctx, hit, r);
		if (send(r))
			erl_count(hit);
		else
			erl_count_lost(hit);
	}
	bpf_map_delete_elem(&uprobe_calls, &key);
}

static __always_inline void count_call(const struct erl_hit *hit)
{
	struct counter_key key = { .id = function_id(hit) };

	counter_add(&key, 0, 1);
	erl_count(hit);
}

SEC("usdt/vm:uprobe-entry")
int uprobe_entry(void *ctx)
{
	struct erl_hit hit;
	u64 id;

	if (!enter(ctx, &hit, &id))
		return 0;
	if (uprobe_config.mode == UPROBE_COUNT)
		count_call(&hit);
	else
		begin_call(ctx, &hit, id);
	return 0;
}

SEC("usdt/vm:uprobe-return")
int uprobe_return(void *ctx)
{
	struct measure_event c;
	struct erl_hit hit;
	u64 id;

	if (!enter(ctx, &hit, &id))
		return 0;
	if (uprobe_config.mode != UPROBE_TIME) {
		end_call(ctx, &hit);
		return 0;
	}
	erl_count(&hit);
	c = measure_case(&hit, id);
	c.what = function_id(&hit);
	measure_took(&hit, &c);
	return 0;
}
