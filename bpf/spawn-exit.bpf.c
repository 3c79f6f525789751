// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Which processes are born and end, why, and who tells whom? A process has its name and what it runs taken
 * at the event: a moment later it may be gone.
 */
#include "call.bpf.h"
#include "account.bpf.h"
#include "ring.bpf.h"
#include "spawn-exit.h"
#include "term.bpf.h"

const volatile struct spawn_exit_config spawn_exit_config = {};

/* The process that exited last on a thread: its exit signals follow, when the VM has forgotten its name. */
struct spawn_exit_last {
	u64 id;
	u64 name;
	u64 call;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SPAWN_EXIT_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct spawn_exit_last);
} spawn_exit_lasts SEC(".maps");

static __always_inline bool is_wanted(u64 id, u64 other)
{
	u64 erl_pid = spawn_exit_config.erl_pid;

	return !erl_pid || id == erl_pid || other == erl_pid;
}

/* The registered name, or what it runs. */
static __always_inline u64 name_or(u64 id, u64 call)
{
	u64 name = name_of_process(id);

	return !name || (call && erl_id_kind(name) != ERL_ID_ATOM) ? call : name;
}

static __always_inline u64 name_of(const struct erl_hit *hit, u64 id)
{
	return name_or(id, call_kept(hit, id));
}

static __always_inline struct spawn_exit_event event_of(const struct erl_hit *hit, u32 kind, u64 id, u64 other)
{
	return (struct spawn_exit_event){
		.time_ns = bpf_ktime_get_ns(),
		.os_id = hit->os_id,
		.kind = kind,
		.id = id,
		.other = other,
	};
}

/* The event and what `place` has of the reason. False: there was no room. */
static __always_inline bool send_from(struct term_place *place, const struct spawn_exit_event *e, u64 size)
{
	struct spawn_exit_event *head = term_place_head(place, struct spawn_exit_event);

	*head = *e;
	return !bpf_ringbuf_output(&erl_ring, head, sizeof(*head) + size, ring_flags());
}

static __always_inline bool send_with_term(struct spawn_exit_event *e, u64 term)
{
	struct term_place *place = term_place_get();
	bool is_sent;

	if (!place)
		return false;
	e->reason = SPAWN_EXIT_TERM;
	term_take(&place->snapshot, term);
	is_sent = send_from(place, e, term_snapshot_size(&place->snapshot));
	term_place_put(place);
	return is_sent;
}

static __always_inline bool send_with_text(struct spawn_exit_event *e, u64 text)
{
	struct term_place *place = term_place_get();
	bool is_sent;
	u64 size;

	if (!place)
		return false;
	e->reason = SPAWN_EXIT_TEXT;
	size = bpf_probe_read_user_str(&place->snapshot, ERL_TEXT, (const void *)text);
	/* Negative: it cannot be read. */
	if (size > ERL_TEXT)
		size = 0;
	is_sent = send_from(place, e, size);
	term_place_put(place);
	return is_sent;
}

/* `reason`: the argument of the probe, where it is a text. */
static __always_inline void send(void *ctx, const struct erl_hit *hit, struct spawn_exit_event *e, const int reason)
{
	bool is_sent;

	if (erl_config.args[ERL_ARG_TERM].form == ERL_FORM_TERM)
		is_sent = send_with_term(e, erl_arg(ctx, hit, ERL_ARG_TERM));
	else
		is_sent = send_with_text(e, erl_arg(ctx, hit, reason));
	if (is_sent)
		erl_count(hit);
	else
		erl_count_lost(hit);
}

SEC("usdt/erlang:process-spawn")
int process_spawn(void *ctx)
{
	struct spawn_exit_event *e;
	u64 id, parent, call;
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	id = erl_arg_id(ctx, &hit, 0);
	parent = call_parent(ctx, &hit, id);
	/* Wanted or not: its signals may be. */
	call = call_begins(ctx, &hit, id);
	if (!is_wanted(id, parent))
		return 0;
	e = bpf_ringbuf_reserve(&erl_ring, sizeof(*e), 0);
	if (!e) {
		erl_count_lost(&hit);
		return 0;
	}
	*e = event_of(&hit, SPAWN_EXIT_SPAWN, id, parent);
	/* It may be another scheduler's already, and even have ended. */
	if (hit.saved)
		e->time_ns = hit.saved->start_ns;
	e->name = name_or(id, call);
	e->other_name = name_of(&hit, parent);
	e->call = call;
	bpf_ringbuf_submit(e, ring_flags());
	erl_count(&hit);
	return 0;
}

SEC("usdt/erlang:process-exit")
int process_exit(void *ctx)
{
	struct spawn_exit_last last = {};
	struct spawn_exit_event e;
	struct erl_hit hit;
	u32 thread;
	u64 parent;

	if (!erl_enter(ctx, &hit))
		return 0;
	thread = erl_thread(&hit);
	last.id = erl_arg_id(ctx, &hit, 0);
	last.call = call_ends(&hit, last.id);
	last.name = name_or(last.id, last.call);
	/* Without room for it, the signals are without a name. */
	bpf_map_update_elem(&spawn_exit_lasts, &thread, &last, BPF_ANY);
	parent = call_parent_of(last.id);
	if (!is_wanted(last.id, parent))
		return 0;
	e = event_of(&hit, SPAWN_EXIT_EXIT, last.id, parent);
	e.name = last.name;
	e.other_name = name_of(&hit, parent);
	e.call = last.call;
	send(ctx, &hit, &e, 1);
	return 0;
}

static __always_inline void name_sender(const struct erl_hit *hit, struct spawn_exit_event *e)
{
	u32 thread = erl_thread(hit);
	struct spawn_exit_last *last = bpf_map_lookup_elem(&spawn_exit_lasts, &thread);

	if (last && last->id == e->id) {
		e->call = last->call;
		e->name = last->name;
	} else {
		e->call = call_of(hit, e->id);
		e->name = name_or(e->id, e->call);
	}
}

SEC("usdt/erlang:process-exit_signal")
int process_exit_signal(void *ctx)
{
	struct spawn_exit_event e;
	struct erl_hit hit;
	u64 from, to;

	if (!erl_enter(ctx, &hit))
		return 0;
	from = erl_arg_id(ctx, &hit, 0);
	to = erl_arg_id(ctx, &hit, 1);
	if (!is_wanted(from, to))
		return 0;
	/* The note does not fire for these. */
	if (erl_config.args[1].form == ERL_FORM_TERM && erl_config.pids.table && !erl_process_of(to)) {
		account_add(SPAWN_EXIT_GONE, 1);
		return 0;
	}
	e = event_of(&hit, SPAWN_EXIT_SIGNAL, from, to);
	name_sender(&hit, &e);
	e.other_name = name_of(&hit, to);
	send(ctx, &hit, &e, 2);
	return 0;
}

/* A pid of another node: ExternalThing of erl_term.h; its channel is the number of the node's name. */
static __always_inline u64 id_of_remote(u64 term, u64 node)
{
	u64 at = TERM_ADDRESS(term), data;

	if (TERM_TAG(term) != TERM_TAG_BOXED || TERM_HEADER_SUBTAG(name_word(at)) != TERM_EXTERNAL_PID)
		return 0;
	data = name_word(at + TERM_EXTERNAL_DATA);
	return erl_id_make(ERL_ID_REMOTE, (u32)data,
			   (data >> 32 & 0xffff) | TERM_ATOM_INDEX(node) << ERL_ID_REMOTE_SERIAL_BITS);
}

SEC("usdt/erlang:process-exit_signal-remote")
int process_exit_signal_remote(void *ctx)
{
	u64 from, to, node, receiver;
	struct spawn_exit_event e;
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	from = erl_arg_id(ctx, &hit, 0);
	node = erl_arg(ctx, &hit, 1);
	receiver = erl_arg(ctx, &hit, 2);
	/* The note has it as "{<9111.88.0>,'b@vm'}". */
	if (erl_config.args[2].form == ERL_FORM_TEXT)
		to = erl_id_of_text(receiver + 1);
	else
		to = id_of_remote(receiver, node);
	if (!is_wanted(from, to))
		return 0;
	e = event_of(&hit, SPAWN_EXIT_REMOTE_SIGNAL, from, to);
	name_sender(&hit, &e);
	if (erl_config.args[1].form == ERL_FORM_TEXT)
		e.other_name = name_of_user_text(node);
	else
		e.other_name = erl_id_of(ERL_ID_ATOM, TERM_ATOM_INDEX(node));
	send(ctx, &hit, &e, 3);
	return 0;
}
