/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of sockets that --by port tells apart and --min prints: looked up while they are open, kept when they are
 * not. */
#ifndef ERLBPF_RESULTS_ADDRESSES_H
#define ERLBPF_RESULTS_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "load/load.h"
#include "trace/follow.h"
#include "tool.h"

struct addresses;

/* Both must outlive it. NULL and errno. */
struct addresses *addresses_new(const struct loader *loader, const struct follow *follow);
void addresses_free(struct addresses *addresses);

/* Look up those of all sockets that are open, or only of those that were not looked up yet. */
void addresses_refresh(struct addresses *addresses, bool only_new);

/* Looks for those of this socket if they are not known, unless we looked just before. */
void addresses_want(struct addresses *addresses, uint32_t os_id, uint64_t id);

/* They stay valid until the next refresh. */
struct run_addresses addresses_of(const struct addresses *addresses, uint32_t os_id, uint64_t id);

#endif
