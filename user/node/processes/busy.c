// SPDX-License-Identifier: BSD-2-Clause
/*
 * A port and a DistEntry each have an ErtsProcList `suspended`, a ring of elements that begin with a pid. All of it may
 * change or be freed during the read: a ring is followed for a few steps only, and ends at an element that is no pid.
 *
 * Source: erl_port.h, erl_node_tables.h and ErtsProcList_ in erl_process.h; fields as in probes/fields.def.
 */
#include "node/processes/busy.h"

#include <stddef.h>

#include "node/memory/fields.h"
#include "node/atoms/peers.h"
#include "node/atoms/pids.h"
#include "target/reader/procfs.h"

#define MOST_LISTED 32 /* processes per port or connection */

struct reading {
	const struct target *target;
	const struct erl_pid_layout *pids;
	struct busy_wait *waits;
	size_t count, most;
};

static bool read_word(const struct reading *r, uint64_t address, const char *field, uint64_t *word)
{
	int64_t offset;

	return !field_offset(r->target->vm, field, &offset) &&
	       !procfs_memory(r->target->pid, address + (uint64_t)offset, word, sizeof(*word));
}

/* All processes in the ring at `first` wait for the same object. */
static void add_ring(struct reading *r, uint64_t first, const struct busy_wait *same)
{
	uint64_t at = first, pid;

	for (int i = 0; i < MOST_LISTED && r->count < r->most; i++) {
		if (procfs_memory(r->target->pid, at, &pid, sizeof(pid)) || !pid_of_term(r->pids, pid))
			return;
		r->waits[r->count] = *same;
		r->waits[r->count++].process = pid_of_term(r->pids, pid);
		if (!read_word(r, at, "proc_list.next", &at) || at == first || !at)
			return;
	}
}

static void read_connection(void *data, uint64_t entry)
{
	struct reading *r = data;
	struct busy_wait same = { .peer = peer_name(r->target, entry) };
	uint64_t first;

	if (same.peer && read_word(r, entry, "dist_entry.suspended", &first) && first &&
	    read_word(r, entry, "dist_entry.queued", &same.queued))
		add_ring(r, first, &same);
}

static void read_port(struct reading *r, uint64_t port, uint64_t first)
{
	struct busy_wait same = {};
	struct port_look look;

	ports_look(r->target, r->pids, &port, &look, 1);
	same.port = look.id;
	same.owner = look.owner;
	port_name(r->target, port, same.name);
	if (same.port)
		add_ring(r, first, &same);
}

static void read_ports(void *data, const uint64_t *ports, size_t count)
{
	struct procfs_piece pieces[PORTS_BATCH];
	struct reading *r = data;
	uint64_t firsts[PORTS_BATCH];
	int64_t offset;

	if (field_offset(r->target->vm, "port.suspended", &offset))
		return;
	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ ports[i] + (uint64_t)offset, &firsts[i], 8, false };
	procfs_pieces(r->target->pid, pieces, count);
	for (size_t i = 0; i < count; i++) {
		if (pieces[i].is_read && firsts[i])
			read_port(r, ports[i], firsts[i]);
	}
}

size_t busy_read(const struct target *target, const struct erl_pid_layout *pids, struct busy_wait *waits, size_t most)
{
	struct reading r = { .target = target, .pids = pids, .waits = waits, .most = most };

	peers_each(target, PEERS_VISIBLE, read_connection, &r);
	peers_each(target, PEERS_HIDDEN, read_connection, &r);
	ports_each(target, read_ports, &r);
	return r.count;
}
