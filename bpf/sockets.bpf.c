// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What do operations on sockets cost, and how many bytes do they move? Sockets are ports of the inet
 * drivers, or resources of the module prim_socket. Both count what they receive and send, for
 * inet:getstat/1 and socket:info/1; an operation moved by how much that grew.
 *
 * An inet driver works under its port's lock, so what grew is its own. Several processes may be in NIFs
 * of one socket, so what they moved is told by what was told of that socket before: each byte counts
 * once, for one of them.
 */
#include "operation.bpf.h"
#include "sockets.h"

#define AF_LOCAL 1
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define SOCK_SEQPACKET 5
#define IPPROTO_TCP 6
#define IPPROTO_UDP 17
#define IPPROTO_SCTP 132

#define INET_FD 0 /* of inet_descriptor (inet_drv.c), the same in 25.2.3, 27.3.4.1 and 29.1.1 */

/* Arguments of inet-callback and socket-call. */
enum {
	PROCESS,
	SOCKET,
	FAMILY,
	TYPE,
	PROTOCOL,
	RECEIVED_BEFORE,
	RECEIVED,
	SENT_BEFORE,
	SENT,
	AT,
	STOP_AT = RECEIVED_BEFORE, /* of inet-stop */
};

struct socket_key {
	u64 at;
	u64 os_id;
};

/* Known facts about a socket of prim_socket. */
struct told {
	u64 received;
	u64 sent;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SOCKETS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct socket_key);
	__type(value, struct told);
} told SEC(".maps");

/* The inet socket that a thread freed last: it may be within a callback for it. */
struct freed {
	u64 at;
	u64 ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MEASURE_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct freed);
} freed SEC(".maps");

const volatile __u32 sockets_keep_fds = 0;

/* With --by port, the fds of sockets: user space finds their addresses by them. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SOCKETS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct sockets_id);
	__type(value, __s32);
} sockets_open SEC(".maps");

static __always_inline void keep_fd(const struct measure_event *c, __s32 fd)
{
	struct sockets_id id = { .id = c->amounts[OPERATION_THING], .os_id = c->os_id };
	__s32 *known;

	if (!sockets_keep_fds)
		return;
	known = bpf_map_lookup_elem(&sockets_open, &id);
	if (known)
		*known = fd;
	else if (fd >= 0)
		bpf_map_update_elem(&sockets_open, &id, &fd, BPF_ANY);
}

static __always_inline u32 kind_of(u32 family, u32 type, u32 protocol)
{
	if (family == AF_LOCAL)
		return SOCKETS_LOCAL;
	if (protocol == IPPROTO_SCTP || type == SOCK_SEQPACKET)
		return SOCKETS_SCTP;
	if (protocol == IPPROTO_TCP || (!protocol && type == SOCK_STREAM))
		return SOCKETS_TCP;
	if (protocol == IPPROTO_UDP || (!protocol && type == SOCK_DGRAM))
		return SOCKETS_UDP;
	return SOCKETS_OTHER;
}

static __always_inline void moved(struct measure_event *c, u64 received, u64 sent)
{
	c->amounts[OPERATION_BYTES] = received;
	c->amounts[OPERATION_SENT] = sent;
	c->has = 1 << OPERATION_BYTES | 1 << OPERATION_SENT;
}

/* By how much is `now` more than what was told before? That is told with it. */
static __always_inline u64 tell_more(u64 *of, u64 now)
{
	u64 seen = *(volatile u64 *)of;

	/* Bounded tries: a lost race means that another CPU just told more. */
	for (int i = 0; i < 4 && now > seen; i++) {
		u64 old = __sync_val_compare_and_swap(of, seen, now);

		if (old == seen)
			return now - seen;
		seen = old;
	}
	return 0;
}

static __always_inline bool was_freed(const struct erl_hit *hit, u64 at, u64 since)
{
	u32 thread = erl_thread(hit);
	struct freed *last = bpf_map_lookup_elem(&freed, &thread);

	return last && last->at == at && last->ns >= since;
}

SEC("usdt/vm:inet-callback")
int inet_callback(void *ctx)
{
	struct measure_event c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	erl_count(&hit);
	c = measure_case(&hit, id);
	c.amounts[OPERATION_THING] = erl_arg_id(ctx, &hit, SOCKET);
	c.kind = SOCKETS_OTHER;
	/* A callback may end its own port; then there is nothing left to read. */
	if (!was_freed(&hit, erl_arg(ctx, &hit, AT), c.start_ns)) {
		c.kind = kind_of(erl_arg(ctx, &hit, FAMILY), erl_arg(ctx, &hit, TYPE), erl_arg(ctx, &hit, PROTOCOL));
		keep_fd(&c, erl_load(erl_arg(ctx, &hit, AT) + INET_FD, 4, true));
		moved(&c, erl_arg(ctx, &hit, RECEIVED) - erl_arg(ctx, &hit, RECEIVED_BEFORE),
		      erl_arg(ctx, &hit, SENT) - erl_arg(ctx, &hit, SENT_BEFORE));
	}
	operation_done(&c);
	return 0;
}

SEC("usdt/vm:inet-stop")
int inet_stop(void *ctx)
{
	struct measure_event c;
	struct freed last;
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	c = measure_case(&hit, erl_arg_id(ctx, &hit, PROCESS));
	last = (struct freed){ .at = erl_arg(ctx, &hit, STOP_AT), .ns = c.end_ns };
	bpf_map_update_elem(&freed, &c.thread, &last, BPF_ANY);
	if (!measure_wants(c.id))
		return 0;
	erl_count(&hit);
	c.kind = kind_of(erl_arg(ctx, &hit, FAMILY), erl_arg(ctx, &hit, TYPE), 0);
	c.amounts[OPERATION_THING] = erl_arg_id(ctx, &hit, SOCKET);
	keep_fd(&c, -1);
	operation_done(&c);
	return 0;
}

SEC("usdt/vm:socket-call")
int socket_call(void *ctx)
{
	struct socket_key key;
	struct measure_event c;
	struct told *before;
	struct erl_hit hit;
	u64 received, sent;
	s64 fd;

	if (!erl_enter(ctx, &hit))
		return 0;
	key = (struct socket_key){ .at = erl_arg(ctx, &hit, AT), .os_id = hit.os_id };
	received = erl_arg(ctx, &hit, RECEIVED);
	sent = erl_arg(ctx, &hit, SENT);
	fd = (__s32)erl_arg(ctx, &hit, SOCKET);
	/* A socket that is just being opened has no address yet. */
	if (!key.at)
		fd = -1;
	before = bpf_map_lookup_elem(&told, &key);
	if (!before && fd >= 0) {
		struct told fresh = { .received = erl_arg(ctx, &hit, RECEIVED_BEFORE),
				      .sent = erl_arg(ctx, &hit, SENT_BEFORE) };

		bpf_map_update_elem(&told, &key, &fresh, BPF_NOEXIST);
		before = bpf_map_lookup_elem(&told, &key);
	}
	c = measure_case(&hit, erl_arg_id(ctx, &hit, PROCESS));
	/* Without room for one more, an operation may be told of what others moved meanwhile. */
	if (before)
		moved(&c, tell_more(&before->received, received), tell_more(&before->sent, sent));
	else
		moved(&c, received - erl_arg(ctx, &hit, RECEIVED_BEFORE), sent - erl_arg(ctx, &hit, SENT_BEFORE));
	/* It is closed, and its memory may become another's. */
	if (fd < 0)
		bpf_map_delete_elem(&told, &key);
	if (!measure_wants(c.id))
		return 0;
	erl_count(&hit);
	c.kind = kind_of(erl_arg(ctx, &hit, FAMILY), erl_arg(ctx, &hit, TYPE), erl_arg(ctx, &hit, PROTOCOL));
	if (fd >= 0) {
		c.amounts[OPERATION_THING] = erl_id_of(ERL_ID_FD, fd);
		keep_fd(&c, fd);
	}
	operation_done(&c);
	return 0;
}
