/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much a process that waits remembers: what is in maps that are reachable from its stack, as the state of a server
 * is, and in its process dictionary. Read from the node's memory; nothing is stopped for it.
 */
#ifndef ERLBPF_NODE_LIVE_MAPS_H
#define ERLBPF_NODE_LIVE_MAPS_H

#include <stdint.h>

#include "node/naming.h"
#include "target/target.h"

/* Pairs of all maps that few steps lead to, over tuples and small maps. Lists are not followed. */
uint64_t live_maps_pairs(const struct target *target, const struct name_fields *fields);

/* Elements of the process dictionary at that address. */
uint64_t dictionary_elements(const struct target *target, uint64_t dictionary);

#endif
