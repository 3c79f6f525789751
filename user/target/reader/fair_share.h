/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fair order of image reads, of which only one runs at a time: among the owners that were refused lately, the one with
 * the least recent usage goes first. So a user that runs a thousand slow files cannot keep the nodes of others from
 * being found.
 */
#ifndef ERLBPF_TARGET_READER_FAIR_SHARE_H
#define ERLBPF_TARGET_READER_FAIR_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* The owner of a file: a user on a file system. Each container has a file system of its own. */
struct fair_share_owner {
	uint64_t device;
	uint32_t user;
};

/* True unless an owner with less usage is waiting. */
bool fair_share_is_next(const struct fair_share_owner *owner, uint64_t now_ns);

/* Record that the owner was refused. It must call again within FAIR_SHARE_WAIT_NS to keep its turn. */
#define FAIR_SHARE_WAIT_NS (5 * NS_PER_S)
void fair_share_wait(const struct fair_share_owner *owner, uint64_t now_ns);

/* Add to the owner's usage, which halves each minute. */
void fair_share_charge(const struct fair_share_owner *owner, uint64_t ns, uint64_t now_ns);

#endif
