// SPDX-License-Identifier: BSD-2-Clause
#include "results/addresses.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/duration.h"
#include "base/hash.h"
#include "erl.h"
#include "load/kernel/map.h"
#include "sockets.h"
#include "target/socket_table.h"

#define LOOK_AGAIN_NS (20 * NS_PER_MS)

/* A socket that the kernel's programs have seen. */
struct seen {
	struct sockets_id id;
	int32_t fd; /* in the map: negative if it is closed */
};

struct known {
	struct sockets_id id;
	UT_hash_handle hh;
	uint64_t inode;
	bool is_closed, was_shown; /* since then */
	struct socket_addresses addresses;
	char both[2 * SOCKET_ADDRESS_SIZE + 8];
};

struct addresses {
	const struct loader *loader;
	const struct follow *follow;
	uint64_t looked_ns;  /* for sockets that are new */
	struct known *known; /* as many as the map has room for */
};

/* All that were seen, by process; fewer where memory is short. */
struct list {
	struct addresses *addresses;
	struct seen *seen;
	size_t count;
};

struct addresses *addresses_new(const struct loader *loader, const struct follow *follow)
{
	struct addresses *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->loader = loader;
	a->follow = follow;
	return a;
}

void addresses_free(struct addresses *a)
{
	struct known *known, *next;

	if (!a)
		return;
	HASH_ITER(hh, a->known, known, next) {
		HASH_DEL(a->known, known);
		free(known);
	}
	free(a);
}

static struct known *find(const struct addresses *a, const struct sockets_id *id)
{
	struct known *found;

	HASH_FIND(hh, a->known, id, sizeof(*id), found);
	return found;
}

static struct known *find_or_make(struct addresses *a, const struct sockets_id *id)
{
	struct known *known = find(a, id);

	if (known || HASH_COUNT(a->known) >= SOCKETS_MAX)
		return known;
	known = calloc(1, sizeof(*known));
	if (!known)
		return NULL;
	known->id = *id;
	HASH_ADD(hh, a->known, id, sizeof(known->id), known);
	return known;
}

/* What is closed makes room for others in the map. */
static bool add_seen(void *data, const void *key, const void *value)
{
	struct list *list = data;
	struct known *known;
	struct seen seen;

	memcpy(&seen.id, key, sizeof(seen.id));
	memcpy(&seen.fd, value, sizeof(seen.fd));
	known = seen.fd < 0 ? find(list->addresses, &seen.id) : NULL;
	if (known)
		known->is_closed = true;
	if (seen.fd >= 0 && array_has_room(list->seen, list->count))
		list->seen[list->count++] = seen;
	return seen.fd < 0;
}

/* A closed socket is in one more result. */
static void forget_closed(struct addresses *a)
{
	struct known *next;

	for (struct known *known = a->known; known; known = next) {
		next = known->hh.next;
		if (known->is_closed && known->was_shown) {
			HASH_DEL(a->known, known);
			free(known);
			continue;
		}
		known->was_shown = known->is_closed;
	}
}

static int by_process(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	return x->id.os_id < y->id.os_id ? -1 : x->id.os_id > y->id.os_id;
}

static void write_both(struct known *known)
{
	static const char *const signs[] = {
		[SOCKET_WAY_UNKNOWN] = " ",
		[SOCKET_ACCEPTED] = " <- ",
		[SOCKET_CONNECTED] = " -> ",
	};
	const struct socket_addresses *a = &known->addresses;

	snprintf(known->both, sizeof(known->both), "%s%s%s", a->local, *a->peer ? signs[a->way] : "", a->peer);
}

/*
 * A port has one socket as long as it lives: another inode means that it was closed unseen, and that its number is
 * another's now. For the module socket the number itself is what operations are told apart by.
 */
static void look_up(struct known *known, const struct seen *seen, struct socket_table *table)
{
	uint64_t inode = socket_inode((pid_t)erl_os_pid((uint32_t)seen->id.os_id), seen->fd);
	bool is_port = erl_id_kind(seen->id.id) == ERL_ID_PORT;
	struct socket_addresses found;

	if (!inode || (is_port && known->inode && known->inode != inode))
		return;
	if (!socket_table_find(table, inode, &found) && known->inode == inode)
		return;
	known->inode = inode;
	known->addresses = found;
	write_both(known);
}

/* Those of one process, for which the kernel's tables are read once, if at all. */
static void refresh_process(struct addresses *a, const struct seen *seen, size_t count, bool only_new)
{
	struct socket_table *table = NULL;

	for (size_t i = 0; i < count; i++) {
		struct known *known;

		if (only_new && find(a, &seen[i].id))
			continue;
		if (!table)
			table = socket_table_read((pid_t)erl_os_pid((uint32_t)seen->id.os_id));
		known = table ? find_or_make(a, &seen[i].id) : NULL;
		if (known)
			look_up(known, &seen[i], table);
	}
	socket_table_free(table);
}

void addresses_refresh(struct addresses *a, bool only_new)
{
	struct list list = { .addresses = a };
	size_t next;

	if (!map_each(loader_map(a->loader, "sockets_open"), add_seen, &list) && list.count)
		qsort(list.seen, list.count, sizeof(*list.seen), by_process);
	for (size_t i = 0; i < list.count; i = next) {
		for (next = i + 1; next < list.count && !by_process(&list.seen[i], &list.seen[next]);)
			next++;
		if (follow_is_live(a->follow, (uint32_t)list.seen[i].id.os_id))
			refresh_process(a, &list.seen[i], next - i, only_new);
	}
	free(list.seen);
	if (!only_new)
		forget_closed(a);
}

/* A socket that has been closed is not found, however often we look. */
void addresses_want(struct addresses *a, uint32_t os_id, uint64_t id)
{
	struct sockets_id wanted = { .id = id, .os_id = os_id };
	uint64_t now = duration_now();

	if (find(a, &wanted) || now - a->looked_ns < LOOK_AGAIN_NS)
		return;
	addresses_refresh(a, true);
	a->looked_ns = duration_now();
}

struct run_addresses addresses_of(const struct addresses *a, uint32_t os_id, uint64_t id)
{
	struct sockets_id wanted = { .id = id, .os_id = os_id };
	const struct known *known = a ? find(a, &wanted) : NULL;

	if (!known)
		return (struct run_addresses){ "", "", "" };
	return (struct run_addresses){ known->both, known->addresses.local, known->addresses.peer };
}
