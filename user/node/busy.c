// SPDX-License-Identifier: BSD-2-Clause
/*
 * A port and a DistEntry each have an ErtsProcList `suspended`, a ring of elements that begin with a pid. All of it may
 * change or be freed while it is read: a ring is followed for some steps only, and what is no pid of a process ends it.
 *
 * Source: erl_port.h, erl_node_tables.h and ErtsProcList_ of erl_process.h; fields as in probes/fields.def.
 */
#include "node/busy.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "node/atoms.h"
#include "node/fields.h"
#include "node/pids.h"
#include "target/procfs.h"

#define MOST_LISTED 32	     /* processes of one port or connection */
#define MOST_PEERS 1024	     /* connections */
#define MOST_PORTS (1 << 17) /* places of ports, most of which are empty */
#define BATCH 512	     /* ports that are read together */
#define PTAB_TABLE 192
#define PTAB_MAX 208

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

/* Everyone in the ring that begins at `first` waits for the same. */
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

static uint64_t symbol_address(const struct target *target, const char *name)
{
	uint64_t address;

	return target_symbol(target, name, &address) ? 0 : address;
}

static void read_connections(struct reading *r, const char *list)
{
	uint64_t address = symbol_address(r->target, list), entry, first, name;

	if (!address || procfs_memory(r->target->pid, address, &entry, sizeof(entry)))
		return;
	for (int i = 0; entry && i < MOST_PEERS; i++) {
		struct busy_wait same = {};

		if (!read_word(r, entry, "dist_entry.suspended", &first) ||
		    !read_word(r, entry, "dist_entry.sysname", &name) ||
		    !read_word(r, entry, "dist_entry.queued", &same.queued))
			return;
		same.peer = atom_of_term(name) == ATOM_NONE ? 0 : erl_id_of(ERL_ID_ATOM, atom_of_term(name));
		if (first && same.peer)
			add_ring(r, first, &same);
		if (!read_word(r, entry, "dist_entry.next", &entry))
			return;
	}
}

static void read_name(const struct reading *r, uint64_t address, char name[BUSY_NAME_SIZE])
{
	/* A text may end where its page does. */
	for (size_t size = BUSY_NAME_SIZE - 1; address && size; size /= 2) {
		memset(name, 0, BUSY_NAME_SIZE);
		if (!procfs_memory(r->target->pid, address, name, size))
			return;
	}
	name[0] = '\0';
}

static void read_port(struct reading *r, uint64_t port, uint64_t first)
{
	struct busy_wait same = {};
	uint64_t id, owner = 0, name = 0;

	if (!read_word(r, port, "port.id", &id))
		return;
	same.port = port_of_term(r->pids, id);
	if (read_word(r, port, "port.owner", &owner))
		same.owner = pid_of_term(r->pids, owner);
	if (read_word(r, port, "port.name", &name))
		read_name(r, name, same.name);
	if (same.port)
		add_ring(r, first, &same);
}

static void read_batch(struct reading *r, const uint64_t *ports, size_t count)
{
	struct procfs_piece pieces[BATCH];
	uint64_t firsts[BATCH];
	int64_t offset;
	size_t n = 0;

	if (field_offset(r->target->vm, "port.suspended", &offset))
		return;
	for (size_t i = 0; i < count; i++) {
		if (ports[i])
			pieces[n++] = (struct procfs_piece){ .address = ports[i] + (uint64_t)offset,
							     .to = &firsts[i],
							     .size = 8 };
		firsts[i] = 0;
	}
	procfs_pieces(r->target->pid, pieces, n);
	for (size_t i = 0, piece = 0; i < count; i++) {
		if (ports[i] && pieces[piece++].is_read && firsts[i])
			read_port(r, ports[i], firsts[i]);
	}
}

static void read_ports(struct reading *r)
{
	uint64_t ports[BATCH], address = symbol_address(r->target, "erts_port"), table;
	uint32_t places;

	if (!address || procfs_memory(r->target->pid, address + PTAB_TABLE, &table, sizeof(table)) ||
	    procfs_memory(r->target->pid, address + PTAB_MAX, &places, sizeof(places)))
		return;
	if (places > MOST_PORTS)
		places = MOST_PORTS;
	for (uint32_t from = 0; from < places; from += BATCH) {
		size_t count = places - from < BATCH ? places - from : BATCH;

		if (procfs_memory(r->target->pid, table + from * 8ULL, ports, count * 8))
			return;
		read_batch(r, ports, count);
	}
}

size_t busy_read(const struct target *target, const struct erl_pid_layout *pids, struct busy_wait *waits, size_t most)
{
	struct reading r = { .target = target, .pids = pids, .waits = waits, .most = most };

	read_connections(&r, "erts_visible_dist_entries");
	read_connections(&r, "erts_hidden_dist_entries");
	read_ports(&r);
	return r.count;
}
