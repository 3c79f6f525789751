// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source: ErtsPTab in erl_ptab.h, the type of erts_port, and struct _erl_drv_port in erl_port.h; fields as in
 * probes/fields.def.
 */
#include "node/processes/ports.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "node/memory/fields.h"
#include "target/reader/procfs.h"

#define MOST_PLACES (1 << 17) /* most of them empty */
#define PTAB_TABLE 192
#define PTAB_MAX 208

static size_t drop_empty(uint64_t *places, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (places[i])
			places[n++] = places[i];
	}
	return n;
}

void ports_each(const struct target *target, void (*visit)(void *data, const uint64_t *ports, size_t count), void *data)
{
	_cleanup_free_ uint64_t *places = NULL;
	uint64_t address, table;
	uint32_t most;
	size_t count;

	if (target_symbol(target, "erts_port", &address) ||
	    procfs_memory(target->pid, address + PTAB_TABLE, &table, sizeof(table)) ||
	    procfs_memory(target->pid, address + PTAB_MAX, &most, sizeof(most)))
		return;
	if (most > MOST_PLACES)
		most = MOST_PLACES;
	/* All in one read: one per few hundred slots would cost more than everything else. */
	places = malloc(most * sizeof(*places));
	if (!places || procfs_memory(target->pid, table, places, most * sizeof(*places)))
		return;
	count = drop_empty(places, most);
	for (size_t from = 0; from < count; from += PORTS_BATCH)
		visit(data, places + from, count - from < PORTS_BATCH ? count - from : PORTS_BATCH);
}

void ports_look(const struct target *target, const struct erl_pid_layout *pids, const uint64_t *ports,
		struct port_look *looks, size_t count)
{
	struct procfs_piece pieces[2 * PORTS_BATCH];
	int64_t id, owner;

	memset(looks, 0, count * sizeof(*looks));
	if (count > PORTS_BATCH || field_offset(target->vm, "port.id", &id) ||
	    field_offset(target->vm, "port.owner", &owner))
		return;
	for (size_t i = 0; i < count; i++) {
		pieces[2 * i] = (struct procfs_piece){ ports[i] + (uint64_t)id, &looks[i].id, 8, false };
		pieces[2 * i + 1] = (struct procfs_piece){ ports[i] + (uint64_t)owner, &looks[i].owner, 8, false };
	}
	procfs_pieces(target->pid, pieces, 2 * count);
	for (size_t i = 0; i < count; i++) {
		looks[i].id = pieces[2 * i].is_read ? port_of_term(pids, looks[i].id) : 0;
		looks[i].owner = pieces[2 * i + 1].is_read ? pid_of_term(pids, looks[i].owner) : 0;
	}
}

/* The driver's data of a socket begins with its file descriptor: inet_descriptor in inet_drv.c. */
void ports_sockets(const struct target *target, const uint64_t *ports, int *numbers, size_t count)
{
	struct procfs_piece pieces[PORTS_BATCH];
	uint64_t data[PORTS_BATCH];
	char name[PORT_NAME_SIZE];
	int64_t offset;

	for (size_t i = 0; i < count; i++)
		numbers[i] = -1;
	if (count > PORTS_BATCH || field_offset(target->vm, "port.data", &offset))
		return;
	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ ports[i] + (uint64_t)offset, &data[i], 8, false };
	procfs_pieces(target->pid, pieces, count);
	for (size_t i = 0; i < count; i++) {
		if (!pieces[i].is_read)
			data[i] = 0;
		pieces[i] = (struct procfs_piece){ data[i], &numbers[i], sizeof(*numbers), false };
	}
	procfs_pieces(target->pid, pieces, count);
	for (size_t i = 0; i < count; i++) {
		port_name(target, ports[i], name);
		if (!pieces[i].is_read || strcmp(name, "tcp_inet") != 0)
			numbers[i] = -1;
	}
}

void port_name(const struct target *target, uint64_t port, char name[PORT_NAME_SIZE])
{
	uint64_t address = 0;
	int64_t offset;

	if (field_offset(target->vm, "port.name", &offset) ||
	    procfs_memory(target->pid, port + (uint64_t)offset, &address, sizeof(address)))
		address = 0;
	/* A text may end at the end of its page. */
	for (size_t size = PORT_NAME_SIZE - 1; address && size; size /= 2) {
		memset(name, 0, PORT_NAME_SIZE);
		if (!procfs_memory(target->pid, address, name, size))
			return;
	}
	name[0] = '\0';
}
