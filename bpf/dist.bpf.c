// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Who waits for which node, how much is sent to each, and which come and go?
 *
 * A process that sends is suspended when more than +zdbbl waits to be written to the connection
 * (erts_dsig_send() in dist.c): its thread is then between dist-send, which says to whom, and
 * process-suspend. It is resumed in one list with all that wait for the same connection, when less
 * waits there (erts_dist_command()) or the connection ends (erts_do_net_exits()).
 */
#include "dist.h"
#include "measure.bpf.h"
#include "counter.bpf.h"

#define ENTRY_STATE 148 /* of DistEntry (erl_node_tables.h), the same in 25.2.3, 27.3.4.1 and 29.1.1 */
#define ENTRY_QFLGS 232
#define STATE_CONNECTED 2 /* ERTS_DE_STATE_CONNECTED */
#define QFLG_BUSY 1	  /* ERTS_DE_QFLG_BUSY */
#define FLAG_PUBLISHED 1  /* DFLAG_PUBLISHED of dist.h */
#define LIST_NEXT 16	  /* of ErtsProcList (erl_process.h), behind pid and interval */
#define LIST_MAX 4096	  /* processes of one list that are looked at */

/* The data that a thread sends now, or sent last. */
struct sending {
	u64 id;
	u64 peer;
	u64 connection;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MEASURE_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct sending);
} dist_sending SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DIST_SUSPENDED);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct dist_key);
	__type(value, struct dist_suspended);
} dist_suspended SEC(".maps");

static __always_inline u64 atom_id(u64 term)
{
	return (term & 0x3f) == 0xb ? erl_id_of(ERL_ID_ATOM, term >> 6) : 0;
}

#define TEXT_ID(literal)                                                                                               \
	({                                                                                                             \
		struct name_text text_ = { literal };                                                                  \
		name_of_text(&text_);                                                                                  \
	})

/* Without --by, what counts is what a connection does. */
static __always_inline u64 key_of(u64 id, u64 peer)
{
	return measure.by == MEASURE_ALL ? peer : measure_key(id, peer);
}

static __always_inline void counter_case(u32 os_id, u32 kind, u64 key, u64 amount)
{
	struct counter_key counter = { .id = key, .os_id = os_id, .kind = kind };

	counter_add(&counter, amount, 1);
}

SEC("usdt/vm:dist-send")
int dist_send(void *ctx)
{
	struct sending now = {}, *last;
	struct erl_hit hit;
	u32 thread;

	now.id = measure_enter(ctx, &hit);
	if (!now.id)
		return 0;
	thread = erl_thread(&hit);
	now.peer = atom_id(erl_arg(ctx, &hit, 1));
	now.connection = erl_arg(ctx, &hit, 2);
	last = bpf_map_lookup_elem(&dist_sending, &thread);
	if (last)
		*last = now;
	else if (bpf_map_update_elem(&dist_sending, &thread, &now, BPF_ANY)) {
		erl_count_lost(&hit);
		return 0;
	}
	erl_count(&hit);
	return 0;
}

/*
 * What this thread sends for the process to a connection that is busy; NULL if there is none. What it has
 * sent before is not told from what it sends now: then the process would have to be suspended for
 * something else while its last peer is busy.
 */
static __always_inline const struct sending *sending_of(const struct erl_hit *hit, u64 id)
{
	u32 thread = erl_thread(hit);
	const struct sending *sending = bpf_map_lookup_elem(&dist_sending, &thread);

	return sending && sending->id == id ? sending : NULL;
}

SEC("usdt/vm:process-suspend")
int process_suspend(void *ctx)
{
	struct dist_suspended suspended = {};
	const struct sending *sending;
	struct dist_key key = {};
	struct erl_hit hit;

	key.id = measure_enter(ctx, &hit);
	if (!key.id)
		return 0;
	sending = erl_arg_id(ctx, &hit, 1) ? NULL : sending_of(&hit, key.id);
	if (!sending || !(erl_load(sending->connection + ENTRY_QFLGS, 4, false) & QFLG_BUSY)) {
		erl_count(&hit);
		return 0;
	}
	key.os_id = hit.os_id;
	suspended.c = measure_case(&hit, key.id);
	suspended.c.end_ns = 0;
	suspended.c.kind = DIST_BUSY;
	suspended.c.what = sending->peer;
	suspended.c.name = name_of_process(key.id);
	suspended.c.amounts[DIST_UNTIL] = TEXT_ID("still");
	suspended.connection = sending->connection;
	suspended.key = key_of(key.id, sending->peer);
	if (bpf_map_update_elem(&dist_suspended, &key, &suspended, BPF_ANY))
		erl_count_lost(&hit);
	else
		erl_count(&hit);
	return 0;
}

/* The suspension of the process ends, if it was suspended because of a connection. */
static __always_inline void end(struct dist_key *key, u32 probe, bool is_exit)
{
	struct dist_suspended *suspended = bpf_map_lookup_elem(&dist_suspended, key);
	struct measure_event c;

	if (!suspended)
		return;
	c = suspended->c;
	c.end_ns = bpf_ktime_get_ns();
	c.probe = probe;
	if (is_exit)
		c.amounts[DIST_UNTIL] = TEXT_ID("exit");
	else if (erl_load(suspended->connection + ENTRY_STATE, 4, false) == STATE_CONNECTED)
		c.amounts[DIST_UNTIL] = TEXT_ID("resumed");
	else
		c.amounts[DIST_UNTIL] = TEXT_ID("peer down");
	if (measure_counts(&c) && c.end_ns - c.start_ns >= measure.min_ns) {
		counter_case(c.os_id, DIST_SUSPENSIONS, suspended->key, c.end_ns - c.start_ns);
		if (!measure.by)
			measure_hand_out(&c);
	}
	bpf_map_delete_elem(&dist_suspended, key);
}

static __always_inline void end_resumed(u64 id, u32 os_id, u32 probe)
{
	struct dist_key key = { .id = id, .os_id = os_id };

	end(&key, probe, false);
}

/*
 * The process of one entry of a list is resumed; returns the next entry. Global, so that the verifier looks
 * at it once, and that the loop over the list has one branch: it follows at most 8192 of them.
 */
__noinline u64 end_listed(u64 entry, u32 os_id, u32 probe)
{
	u64 word = erl_load(entry, 8, false);

	/* One that was being freed is listed by its address. */
	end_resumed(erl_id_of_term((word & 0xf) == 3 ? word : erl_load(word, 8, false)), os_id, probe);
	return erl_load(entry + LIST_NEXT, 8, false);
}

SEC("usdt/vm:processes-resume")
int processes_resume(void *ctx)
{
	struct erl_hit hit;
	u64 at;

	if (!erl_enter(ctx, &hit))
		return 0;
	erl_count(&hit);
	at = erl_arg(ctx, &hit, 0);
	for (int i = 0; i < LIST_MAX && at; i++)
		at = end_listed(at, hit.os_id, hit.probe);
	if (at)
		account_add(DIST_UNLISTED, 1);
	return 0;
}

/* The connection was no longer busy when the process was suspended: it goes on at once, in no list. */
SEC("usdt/vm:process-resume")
int process_resume(void *ctx)
{
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	erl_count(&hit);
	if (sending_of(&hit, id))
		end_resumed(id, hit.os_id, hit.probe);
	return 0;
}

SEC("usdt/erlang:process-exit")
int process_exit(void *ctx)
{
	struct dist_key key = {};
	struct erl_hit hit;

	key.id = measure_enter(ctx, &hit);
	if (!key.id)
		return 0;
	erl_count(&hit);
	key.os_id = hit.os_id;
	end(&key, hit.probe, true);
	return 0;
}

/* About a connection, not a process. */
static __always_inline bool enter_connection(void *ctx, struct erl_hit *hit)
{
	if (measure.erl_pid || !erl_enter(ctx, hit))
		return false;
	erl_count(hit);
	return true;
}

SEC("usdt/vm:dist-packet")
int dist_packet(void *ctx)
{
	struct erl_hit hit;

	if (!enter_connection(ctx, &hit))
		return 0;
	if (measure.by == MEASURE_ALL || measure.by == MEASURE_BY_WHAT)
		counter_case(hit.os_id, DIST_PACKETS, atom_id(erl_arg(ctx, &hit, 0)), erl_arg(ctx, &hit, 1));
	return 0;
}

static __always_inline void print_node(void *ctx, const struct erl_hit *hit, u32 kind, u64 reason)
{
	struct measure_event c = measure_case(hit, 0);

	c.kind = kind;
	c.what = atom_id(erl_arg(ctx, hit, 0));
	c.amounts[DIST_VISIBILITY] = erl_arg(ctx, hit, 1) & FLAG_PUBLISHED ? TEXT_ID("visible") : TEXT_ID("hidden");
	c.amounts[DIST_REASON] = reason;
	if (!measure.by)
		measure_hand_out(&c);
}

SEC("usdt/vm:node-up")
int node_up(void *ctx)
{
	struct erl_hit hit;

	if (enter_connection(ctx, &hit))
		print_node(ctx, &hit, DIST_UP, 0);
	return 0;
}

/* As monitors of nodes are told: of {shutdown, Reason} the reason, and what normal means; 0 if no atom. */
static __always_inline u64 reason_of(u64 term)
{
	u64 words[3] = {};

	if ((term & 3) == 2) {
		bpf_probe_read_user(words, sizeof(words), (const void *)(term - 2));
		term = words[0] == 2 << 6 ? words[2] : 0;
	}
	return term && term == erl_config.names.atoms[ERL_ATOM_NORMAL] ? TEXT_ID("connection_closed") : atom_id(term);
}

SEC("usdt/vm:node-down")
int node_down(void *ctx)
{
	struct erl_hit hit;

	if (enter_connection(ctx, &hit))
		print_node(ctx, &hit, DIST_DOWN, reason_of(erl_arg(ctx, &hit, 2)));
	return 0;
}
