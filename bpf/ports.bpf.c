// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What happens to ports, and how long are they busy? A port's name and owner are kept from the
 * operations on it, since a port that becomes busy tells neither. A busy port refuses commands and
 * suspends who sends them; the time from port-busy to port-not_busy is one case.
 */
#include "measure.bpf.h"
#include "ports.h"
#include "counter.bpf.h"

/* Inet drivers add it to what is asked for (ERTS_INET_DRV_CONTROL_MAGIC_NUMBER, erl_driver.h). */
#define INET_MAGIC 0x03f1a300

struct port_key {
	u64 id;
	u64 os_id;
};

struct port {
	u64 owner;
	u64 name;
	u64 busy_ns; /* since when, 0: it is not */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PORTS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct port_key);
	__type(value, struct port);
} ports SEC(".maps");

/* The port, known from now on; NULL if there is no room for it. */
static __always_inline struct port *port_of(const struct port_key *key)
{
	struct port *port = bpf_map_lookup_elem(&ports, key), fresh = {};

	if (port)
		return port;
	bpf_map_update_elem(&ports, key, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&ports, key);
}

static __always_inline struct counter_key counter_key_of(const struct measure_event *c)
{
	struct counter_key key = { .os_id = c->os_id, .kind = c->kind };

	if (measure.by == MEASURE_BY_PID)
		key.id = c->id;
	if (measure.by == MEASURE_BY_NAME || measure.by == MEASURE_BY_WHAT)
		key.other = c->what;
	if (measure.by == MEASURE_BY_WHAT)
		key.id = c->amounts[PORTS_PORT];
	return key;
}

static __always_inline int tell(const struct erl_hit *hit, const struct measure_event *c)
{
	struct counter_key key = counter_key_of(c);

	if (!measure_wants(c->id))
		return 0;
	erl_count(hit);
	if (!measure_counts(c))
		return 0;
	if (measure.by)
		counter_add(&key, c->end_ns - c->start_ns, 1);
	else
		measure_print(c);
	return 0;
}

/* The pid in actions of the VM itself: ERTS_INVALID_PID, all ones. */
static __always_inline bool is_nobody(u64 id)
{
	u64 number = id & ((1ULL << ERL_ID_NUMBER_BITS) - 1), serial = erl_id_value(id) >> ERL_ID_NUMBER_BITS;

	return (number == 0x7fff && serial == 0x1fff) || (number == 0xfffffff && serial == 0xffffffff);
}

/* An operation of process `id` on a port whose name is argument `name`. */
static __always_inline struct measure_event operation(void *ctx, const struct erl_hit *hit, u64 id, u64 port_id,
						      const int name, u32 kind)
{
	struct measure_event c = measure_case(hit, id);
	struct port_key key = { .id = port_id, .os_id = hit->os_id };
	struct port *port = port_of(&key);

	if (is_nobody(id))
		c.id = 0;
	c.start_ns = c.end_ns = bpf_ktime_get_ns();
	c.kind = kind;
	c.what = name_of_user_text(erl_arg(ctx, hit, name));
	c.amounts[PORTS_PORT] = port_id;
	if (port)
		port->name = c.what;
	if (port && erl_id_kind(id) == ERL_ID_LOCAL && (kind == PORTS_OPEN || !port->owner))
		port->owner = id;
	return c;
}

SEC("usdt/erlang:port-open")
int port_open(void *ctx)
{
	struct measure_event c;
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	c = operation(ctx, &hit, erl_arg_id(ctx, &hit, 0), erl_arg_id(ctx, &hit, 2), 1, PORTS_OPEN);
	return tell(&hit, &c);
}

/* "command", "close" or "connect"; without notes a small number: see translators.def. */
static __always_inline u32 kind_of_command(void *ctx, const struct erl_hit *hit)
{
	u64 v = erl_arg(ctx, hit, 3);
	char type[4] = {};

	if (erl_config.args[3].form != ERL_FORM_TEXT)
		return v == 0x1f ? PORTS_CLOSE : v == 0x2f ? PORTS_CONNECT : PORTS_COMMAND;
	bpf_probe_read_user(type, sizeof(type), (const void *)v);
	return type[1] == 'l' ? PORTS_CLOSE : type[2] == 'n' ? PORTS_CONNECT : PORTS_COMMAND;
}

SEC("usdt/erlang:port-command")
int port_command(void *ctx)
{
	struct measure_event c;
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	c = operation(ctx, &hit, erl_arg_id(ctx, &hit, 0), erl_arg_id(ctx, &hit, 1), 2, kind_of_command(ctx, &hit));
	return tell(&hit, &c);
}

SEC("usdt/erlang:port-control")
int port_control(void *ctx)
{
	struct measure_event c;
	struct erl_hit hit;
	u32 number;

	if (!erl_enter(ctx, &hit))
		return 0;
	c = operation(ctx, &hit, erl_arg_id(ctx, &hit, 0), erl_arg_id(ctx, &hit, 1), 2, PORTS_CONTROL);
	number = erl_arg(ctx, &hit, 3);
	c.amounts[PORTS_NUMBER] = (number & ~0xff) == INET_MAGIC ? number & 0xff : number;
	c.has = 1 << PORTS_NUMBER;
	return tell(&hit, &c);
}

SEC("usdt/erlang:port-connect")
int port_connect(void *ctx)
{
	struct measure_event c;
	struct port_key key;
	struct erl_hit hit;
	struct port *port;

	if (!erl_enter(ctx, &hit))
		return 0;
	c = operation(ctx, &hit, erl_arg_id(ctx, &hit, 0), erl_arg_id(ctx, &hit, 1), 2, PORTS_CONNECT);
	c.amounts[PORTS_NEW_OWNER] = erl_arg_id(ctx, &hit, 3);
	key = (struct port_key){ .id = c.amounts[PORTS_PORT], .os_id = hit.os_id };
	port = bpf_map_lookup_elem(&ports, &key);
	if (port)
		port->owner = c.amounts[PORTS_NEW_OWNER];
	return tell(&hit, &c);
}

SEC("usdt/erlang:port-exit")
int port_exit(void *ctx)
{
	struct measure_event c;
	struct port_key key;
	struct erl_hit hit;
	struct port *port;

	if (!erl_enter(ctx, &hit))
		return 0;
	c = operation(ctx, &hit, erl_arg_id(ctx, &hit, 0), erl_arg_id(ctx, &hit, 1), 2, PORTS_EXIT);
	key = (struct port_key){ .id = c.amounts[PORTS_PORT], .os_id = hit.os_id };
	port = bpf_map_lookup_elem(&ports, &key);
	if (port && port->busy_ns)
		account_add(PORTS_STILL_BUSY, 1);
	bpf_map_delete_elem(&ports, &key);
	return tell(&hit, &c);
}

SEC("usdt/erlang:port-busy")
int port_busy(void *ctx)
{
	struct measure_event c;
	struct port_key key;
	struct erl_hit hit;
	struct port *port;

	if (!erl_enter(ctx, &hit))
		return 0;
	key = (struct port_key){ .id = erl_arg_id(ctx, &hit, 0), .os_id = hit.os_id };
	port = port_of(&key);
	if (!port) {
		erl_count_lost(&hit);
		return 0;
	}
	c = measure_case(&hit, port->owner);
	c.kind = PORTS_BUSY;
	c.what = port->name;
	c.amounts[PORTS_PORT] = key.id;
	port->busy_ns = c.start_ns;
	return tell(&hit, &c);
}

SEC("usdt/erlang:port-not_busy")
int port_not_busy(void *ctx)
{
	struct measure_event c;
	struct port_key key;
	struct erl_hit hit;
	struct port *port;

	if (!erl_enter(ctx, &hit))
		return 0;
	key = (struct port_key){ .id = erl_arg_id(ctx, &hit, 0), .os_id = hit.os_id };
	port = bpf_map_lookup_elem(&ports, &key);
	if (!port || !port->busy_ns) {
		/* The owner of the port is not known. */
		if (!measure_wants(0))
			return 0;
		measure_account(MEASURE_UNSEEN);
		erl_count(&hit);
		return 0;
	}
	c = measure_case(&hit, port->owner);
	c.kind = PORTS_NOT_BUSY;
	c.what = port->name;
	c.amounts[PORTS_PORT] = key.id;
	c.start_ns = port->busy_ns;
	port->busy_ns = 0;
	return tell(&hit, &c);
}
