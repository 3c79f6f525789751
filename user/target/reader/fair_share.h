/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whose file is read next, where one can be read at a time: of those who ask in vain, one who had little time lately
 * comes before one who had more. So who runs a thousand files that take long keeps nobody's node from being found.
 */
#ifndef ERLBPF_TARGET_READER_FAIR_SHARE_H
#define ERLBPF_TARGET_READER_FAIR_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* Of a file, where it is: a user's, in a file system, which each container has one of. */
struct fair_share_owner {
	uint64_t device;
	uint32_t user;
};

/* May a file of that owner be read now? Not if somebody asks in vain who had less. */
bool fair_share_is_next(const struct fair_share_owner *owner, uint64_t now_ns);

/* It asks in vain. It has to ask again within FAIR_SHARE_PATIENCE_NS, or does not want it any more. */
#define FAIR_SHARE_PATIENCE_NS (5 * NS_PER_S)
void fair_share_wait(const struct fair_share_owner *owner, uint64_t now_ns);

/* It had so much time, half of which is forgotten in a minute. */
void fair_share_charge(const struct fair_share_owner *owner, uint64_t ns, uint64_t now_ns);

#endif
