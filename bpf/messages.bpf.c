// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Who sends what to whom, and how much? Messages as they are sent, queued and received, one by one or
 * counted; with --show as the term they are, taken from the sender's heap before the VM copies it.
 *
 * Functions are not told how large a message is, but they copy it: so a send waits, by its thread, for
 * the copy of its term. What is not copied, an immediate or what a process sends to itself, has 0 words,
 * as in the note.
 */
#include "erl.bpf.h"
#include "hist.h"
#include "messages.h"
#include "ring.bpf.h"
#include "counter.bpf.h"
#include "term.bpf.h"

/* All of this is the same in the sources of 25.2.3, 27.3.4.1 and 29.1.1. */
#define STATE_OFF_HEAP (1u << 24) /* ERTS_PSFLG_OFF_HEAP_MSGQ (erl_process.h) */
#define NIL 0x3b
#define TOKEN_HEADER (5 << 6) /* {Flags, Label, Serial, Sender, LastCount} */

const volatile struct messages_config messages_config = {};

/* A send whose message is about to be copied. */
struct pending {
	struct messages_event event;
	u64 term;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MESSAGES_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct pending);
} pendings SEC(".maps");

static __always_inline bool is_immediate(u64 term)
{
	return (term & 3) == 3;
}

static __always_inline bool has_arg(const int n)
{
	return erl_config.args[n].form != ERL_FORM_NONE;
}

static __always_inline struct messages_event event_of(const struct erl_hit *hit, u32 kind)
{
	return (struct messages_event){
		.time_ns = bpf_ktime_get_ns(),
		.os_id = hit->os_id,
		.probe = hit->probe,
		.kind = kind,
	};
}

static __always_inline bool is_wanted(const struct messages_event *e)
{
	u64 erl_pid = messages_config.erl_pid;

	return !erl_pid || e->from == erl_pid || e->to == erl_pid;
}

/* Seq-trace tokens. */

static __always_inline bool is_small(u64 term)
{
	return (term & 0xf) == 0xf;
}

static __always_inline s64 small(u64 term)
{
	return (s64)term >> 4;
}

static __always_inline void take_token(struct messages_event *e, u64 token)
{
	u64 words[6] = {};

	if ((token & 3) != 2 || bpf_probe_read_user(words, sizeof(words), (const void *)(token - 2)) ||
	    words[0] != TOKEN_HEADER)
		return;
	e->has |= MESSAGES_HAS_TOKEN | (is_small(words[2]) ? MESSAGES_HAS_LABEL : 0);
	e->label = small(words[2]);
	e->serial = small(words[3]);
	e->previous = small(words[5]);
}

/*
 * The token that the message will have: seq_trace_update_serial() (erl_trace.c) is yet to be called, and
 * counts up. Returns the sender's own.
 */
static __always_inline u64 take_sender_token(void *ctx, const struct erl_hit *hit, struct messages_event *e)
{
	u64 trace[3] = {};

	if (!has_arg(ERL_ARG_DETAILS) ||
	    bpf_probe_read_user(trace, sizeof(trace), (const void *)erl_arg(ctx, hit, ERL_ARG_DETAILS)))
		return NIL;
	take_token(e, trace[2]);
	e->serial = trace[0] + 1;
	e->previous = trace[1];
	return trace[2];
}

/* A note has label, previous and serial, all 0 if there is no token; labels that fit no int are the least. */
static __always_inline void take_note_token(void *ctx, const struct erl_hit *hit, struct messages_event *e,
					    const int arg)
{
	if (!has_arg(arg))
		return;
	e->label = (__s32)erl_arg(ctx, hit, arg);
	e->previous = (__s32)erl_arg(ctx, hit, arg + 1);
	e->serial = (__s32)erl_arg(ctx, hit, arg + 2);
	if (!e->label && !e->previous && !e->serial)
		return;
	e->has |= MESSAGES_HAS_TOKEN;
	if (e->label != -0x80000000LL)
		e->has |= MESSAGES_HAS_LABEL;
}

static __always_inline void take_size(void *ctx, const struct erl_hit *hit, struct messages_event *e, const int arg)
{
	if (!has_arg(arg))
		return;
	e->size = (u32)erl_arg(ctx, hit, arg);
	e->has |= MESSAGES_HAS_SIZE;
}

/* Messages in the mailbox of the process; `arg` has those in its private queue, where it is a note's. */
static __always_inline void take_queue(void *ctx, const struct erl_hit *hit, struct messages_event *e, u64 id,
				       const int arg)
{
	u64 process = messages_config.by ? 0 : erl_process_of(id);

	if (process && erl_config.pids.queue_offsets[0]) {
#pragma unroll
		for (int i = 0; i < 3; i++) {
			u64 offset = erl_config.pids.queue_offsets[i];

			e->queue += offset ? erl_load(process + offset, 8, false) : 0;
		}
		e->queue += !!(erl_config.flags & ERL_CONFIG_IS_OUT);
		e->has |= MESSAGES_HAS_QUEUE;
	} else if (arg && has_arg(arg)) {
		e->queue = (u32)erl_arg(ctx, hit, arg);
		e->has |= MESSAGES_HAS_QUEUE;
	}
}

/* Telling of a message: as an event, or counted. False: there was no room for it. */

static __always_inline void name_both(struct messages_event *e)
{
	e->from_name = name_of_process(e->from);
	e->to_name = name_of_process(e->to);
}

static __always_inline bool send_with_message(const struct messages_event *e, u64 term)
{
	struct term_place *place = term_place_get();
	struct messages_event *event;
	long err;

	if (!place)
		return false;
	event = term_place_head(place, struct messages_event);
	*event = *e;
	name_both(event);
	event->has |= MESSAGES_HAS_MESSAGE;
	term_take(&place->snapshot, term);
	err = bpf_ringbuf_output(&erl_ring, event, sizeof(*event) + term_snapshot_size(&place->snapshot), ring_flags());
	term_place_put(place);
	return !err;
}

static __always_inline bool send_alone(const struct messages_event *e)
{
	struct messages_event *event = bpf_ringbuf_reserve(&erl_ring, sizeof(*event), 0);

	if (!event)
		return false;
	*event = *e;
	name_both(event);
	bpf_ringbuf_submit(event, ring_flags());
	return true;
}

static __always_inline void counter(const struct messages_event *e)
{
	u32 slot = e->has & MESSAGES_HAS_SIZE ? hist_slot(e->size) : MESSAGES_COUNTER_SLOT;
	u64 who = e->kind <= MESSAGES_REMOTE ? e->from : e->to;
	struct counter_key key = { .os_id = e->os_id, .kind = e->kind << MESSAGES_COUNTER_SHIFT | slot };

	switch (messages_config.by) {
	case MESSAGES_BY_PAIR:
		key.id = e->from;
		key.other = e->to ? e->to : e->peer;
		break;
	case MESSAGES_BY_PID: key.id = who; break;
	case MESSAGES_BY_NAME: key.id = name_of_process(who); break;
	case MESSAGES_BY_MFA: key.id = name_call_of(who); break;
	case MESSAGES_BY_NODE: key.id = e->peer; break;
	}
	counter_add(&key, e->size, 1);
}

/* The hit of the event is counted here. */
static __always_inline void tell(const struct messages_event *e, bool has_term, u64 term)
{
	struct erl_hit hit = { .probe = e->probe };
	bool is_told = true;

	if (messages_config.by)
		counter(e);
	else
		is_told = messages_config.show && has_term ? send_with_message(e, term) : send_alone(e);
	if (is_told)
		erl_count(&hit);
	else
		erl_count_lost(&hit);
}

/* Until its message is copied. A thread sends one at a time: another that still waits was never copied. */
static __always_inline void wait_for_copy(const struct erl_hit *hit, const struct messages_event *e, u64 term)
{
	struct pending pending = { .event = *e, .term = term }, *other;
	u32 thread = erl_thread(hit);

	other = bpf_map_lookup_elem(&pendings, &thread);
	if (other)
		tell(&other->event, false, 0);
	if (bpf_map_update_elem(&pendings, &thread, &pending, BPF_ANY))
		erl_count_lost(hit);
}

/* A send that a function tells of. `is_copied`: what is no immediate is copied. */
static __always_inline void send_by_function(const struct erl_hit *hit, struct messages_event *e, u64 term,
					     bool is_copied)
{
	if (!messages_config.measures || !(erl_config.flags & ERL_CONFIG_IS_COPIED)) {
		tell(e, has_arg(ERL_ARG_TERM), term);
	} else if (is_copied && !is_immediate(term)) {
		wait_for_copy(hit, e, term);
	} else {
		e->has |= MESSAGES_HAS_SIZE;
		tell(e, has_arg(ERL_ARG_TERM), term);
	}
}

SEC("usdt/erlang:message-send")
int message_send(void *ctx)
{
	bool is_note = erl_config.args[0].form == ERL_FORM_TEXT;
	struct messages_event e;
	struct erl_hit hit;
	u64 term, token;

	if (!erl_enter(ctx, &hit))
		return 0;
	e = event_of(&hit, MESSAGES_SEND);
	e.from = erl_arg_id(ctx, &hit, 0);
	e.to = erl_arg_id(ctx, &hit, 1);
	/* The note tells of messages to other nodes too; they have one of their own. */
	if (!is_wanted(&e) || (is_note && erl_id_kind(e.to) != ERL_ID_LOCAL))
		return 0;
	/* No receiver: the message ends there. */
	if (!is_note && erl_config.pids.table && !erl_process_of(e.to))
		return 0;
	take_queue(ctx, &hit, &e, e.to, 0);
	take_size(ctx, &hit, &e, 2);
	take_note_token(ctx, &hit, &e, 3);
	term = erl_arg(ctx, &hit, ERL_ARG_TERM);
	if (is_note) {
		tell(&e, false, 0);
		return 0;
	}
	token = take_sender_token(ctx, &hit, &e);
	/* A message to an alias is always copied; this function does not get the receiver's state. */
	send_by_function(&hit, &e, term,
			 !has_arg(ERL_ARG_STATE) || e.from != e.to || token != NIL ||
				 erl_arg(ctx, &hit, ERL_ARG_STATE) & STATE_OFF_HEAP);
	return 0;
}

/* Remote receivers: <9111.88.0> and {Name,'node@host'}, or an alias, which is a reference. */

static __always_inline u64 atom_id(u64 term)
{
	return (term & 0x3f) == 0xb ? erl_id_of(ERL_ID_ATOM, term >> 6) : 0;
}

/* ExternalThing of erl_term.h: header, node, next, number and serial. The channel is the node's atom. */
static __always_inline u64 id_of_external(u64 term, u64 node)
{
	u64 words[4] = {};

	if ((term & 3) != 2 || bpf_probe_read_user(words, sizeof(words), (const void *)(term - 2)) ||
	    TERM_HEADER_SUBTAG(words[0]) != TERM_EXTERNAL_PID)
		return 0;
	return erl_id_make(ERL_ID_REMOTE, (u32)words[3],
			   (words[3] >> 32 & 0xffff) | node >> 6 << ERL_ID_REMOTE_SERIAL_BITS);
}

/* A name is an MFA of node and name, which tells it from the same name on another node. */
static __always_inline u64 receiver_of_term(u64 term, u64 node)
{
	return atom_id(term) ? erl_id_of_mfa(node, term, 0) : id_of_external(term, node);
}

static __always_inline u64 receiver_of_text(u64 address)
{
	u64 id = erl_id_of_text(address);

	if (id || (u8)erl_load(address, 1, false) == '#')
		return id;
	return name_of_user_text(address);
}

SEC("usdt/erlang:message-send-remote")
int message_send_remote(void *ctx)
{
	bool is_note = erl_config.args[0].form == ERL_FORM_TEXT;
	struct messages_event e;
	struct erl_hit hit;
	u64 node, to;

	if (!erl_enter(ctx, &hit))
		return 0;
	e = event_of(&hit, MESSAGES_REMOTE);
	e.from = erl_arg_id(ctx, &hit, 0);
	if (!is_wanted(&e))
		return 0;
	node = erl_arg(ctx, &hit, 1);
	to = erl_arg(ctx, &hit, 2);
	e.peer = is_note ? name_of_user_text(node) : atom_id(node);
	e.to = is_note ? receiver_of_text(to) : receiver_of_term(to, node);
	take_size(ctx, &hit, &e, 3);
	take_note_token(ctx, &hit, &e, 4);
	take_sender_token(ctx, &hit, &e);
	tell(&e, has_arg(ERL_ARG_TERM), erl_arg(ctx, &hit, ERL_ARG_TERM));
	return 0;
}

/* Messages that are queued and received: message.m has the term, the token, and who sent it. */
static __always_inline void take_message(void *ctx, const struct erl_hit *hit, struct messages_event *e)
{
	u64 m[3] = {};

	if (!has_arg(ERL_ARG_DETAILS) ||
	    bpf_probe_read_user(m, sizeof(m), (const void *)erl_arg(ctx, hit, ERL_ARG_DETAILS)))
		return;
	take_token(e, m[1]);
	e->from = erl_id_of_term(m[2]);
	/* Messages of other nodes have the node instead, those of the VM a word like system. */
	e->peer = atom_id(m[2]);
	if (e->peer)
		e->from = e->peer;
}

static __always_inline int arrives(void *ctx, u32 kind)
{
	struct messages_event e;
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	e = event_of(&hit, kind);
	e.to = erl_arg_id(ctx, &hit, 0);
	take_message(ctx, &hit, &e);
	if (!is_wanted(&e))
		return 0;
	take_size(ctx, &hit, &e, 1);
	take_queue(ctx, &hit, &e, e.to, 2);
	take_note_token(ctx, &hit, &e, 3);
	tell(&e, has_arg(ERL_ARG_TERM), erl_arg(ctx, &hit, ERL_ARG_TERM));
	return 0;
}

SEC("usdt/erlang:message-queued")
int message_queued(void *ctx)
{
	return arrives(ctx, MESSAGES_QUEUED);
}

SEC("usdt/erlang:message-receive")
int message_receive(void *ctx)
{
	return arrives(ctx, MESSAGES_RECEIVED);
}

/* Behind the sends, so that it is attached before them. */
SEC("usdt/vm:message-send-copy")
int message_send_copy(void *ctx)
{
	struct messages_event e;
	struct pending *pending;
	struct erl_hit hit;
	u32 thread;
	u64 term;

	if (!erl_enter(ctx, &hit))
		return 0;
	thread = erl_thread(&hit);
	pending = bpf_map_lookup_elem(&pendings, &thread);
	term = erl_arg(ctx, &hit, 0);
	if (!pending || pending->term != term)
		return 0;
	e = pending->event;
	e.size = erl_arg(ctx, &hit, 1);
	e.has |= MESSAGES_HAS_SIZE;
	tell(&e, true, term);
	bpf_map_delete_elem(&pendings, &thread);
	return 0;
}
