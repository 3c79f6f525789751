// SPDX-License-Identifier: BSD-2-Clause
/*
 * The VM numbers the connections to a node, including failed attempts, and keeps the number for a minute after the last
 * one.
 *
 * Source: erts_set_dist_entry_pending() of erl_node_tables.c in 25.2.3, 27.3.4.1 and 29.1.1.
 */
#include "node/atoms/peers.h"
#include "node/processes/processes.h"
#include "why/source/sign_process.h"
#include "why/source/signs.h"
#include "why/source/source.h"

#define RECONNECTS_MOST 256 /* peers */

struct reconnects {
	struct reconnect {
		uint64_t peer;	      /* id of its name */
		uint32_t first, last; /* number of connections so far */
	} all[RECONNECTS_MOST];
	size_t count;
};

#define NUMBER_MASK 0xffffffu

struct looking {
	struct reconnects *flaps;
	const struct target *target;
};

static void take_peer(void *data, uint64_t entry)
{
	struct looking *looking = data;
	struct reconnects *flaps = looking->flaps;
	uint64_t peer = peer_name(looking->target, entry);
	uint32_t number = peer_connections(looking->target, entry);
	size_t i = 0;

	while (i < flaps->count && flaps->all[i].peer != peer)
		i++;
	if (!peer || i == RECONNECTS_MOST)
		return;
	if (i == flaps->count)
		flaps->all[flaps->count++] = (struct reconnect){ .peer = peer, .first = number };
	flaps->all[i].last = number;
}

static void reconnects_look(struct reconnects *flaps, const struct target *target)
{
	static const char *const lists[] = { PEERS_VISIBLE, PEERS_HIDDEN, PEERS_PENDING, PEERS_GONE };
	struct looking looking = { .flaps = flaps, .target = target };

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		peers_each(target, lists[i], take_peer, &looking);
}

static void reconnects_finish(const struct reconnects *flaps, struct processes *processes, struct signs *signs)
{
	struct sign_reconnects *sign = &signs->reconnects;
	uint64_t worst = 0;

	for (size_t i = 0; i < flaps->count; i++) {
		uint32_t times = (flaps->all[i].last - flaps->all[i].first) & NUMBER_MASK;

		sign->peers += times >= RECONNECTS_LEAST;
		if (times <= sign->times)
			continue;
		sign->times = times;
		worst = flaps->all[i].peer;
	}
	if (worst)
		sign_function(processes, worst, sign->peer);
}

static void source_look(void *state, struct why_node *node)
{
	reconnects_look(state, node->target);
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	reconnects_finish(state, node->processes, signs);
}

const struct why_source reconnects_source = {
	.size = sizeof(struct reconnects),
	.look = source_look,
	.finish = source_finish,
};
