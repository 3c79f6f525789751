/* SPDX-License-Identifier: BSD-2-Clause */
/* The nodes that a node knows: lists of DistEntry by the state of the connection, read from its memory. */
#ifndef ERLBPF_NODE_ATOMS_PEERS_H
#define ERLBPF_NODE_ATOMS_PEERS_H

#include <stddef.h>
#include <stdint.h>

#include "target/target.h"

#define PEERS_VISIBLE "erts_visible_dist_entries"
#define PEERS_HIDDEN "erts_hidden_dist_entries"
#define PEERS_PENDING "erts_pending_dist_entries"
#define PEERS_GONE "erts_not_connected_dist_entries"

/* Calls `visit` with the address of each DistEntry of the list that the VM has in a variable of that name. */
void peers_each(const struct target *target, const char *list, void (*visit)(void *data, uint64_t entry), void *data);

/* The id of the atom with its name, 0: unknown. */
uint64_t peer_name(const struct target *target, uint64_t entry);

/* The number of connections and attempts, low 24 bits. 0: unknown. */
uint32_t peer_connections(const struct target *target, uint64_t entry);

#endif
