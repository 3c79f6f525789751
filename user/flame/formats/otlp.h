/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CPU profile as a message of OTLP, the protocol of OpenTelemetry. A group at the root of a stack is the name of its
 * node: each node is a resource with its own profile.
 */
#ifndef ERLBPF_FLAME_FORMATS_OTLP_H
#define ERLBPF_FLAME_FORMATS_OTLP_H

#include <stddef.h>
#include <stdint.h>

#include "flame/profile.h"

#define PROFILE_OTLP_ID 16

struct profile_attribute {
	const char *name, *value;
};

struct profile_otlp {
	const char *version;			  /* of erlbpf */
	const struct profile_attribute *resource; /* of each node, in addition to its name in the attribute `node` */
	size_t attributes;
	uint64_t start_unix_ns, duration_ns, period_ns;
	uint8_t id[PROFILE_OTLP_ID]; /* stays the same when the profile is sent again */
};

/* A packed Otlp_profiles.Request, which the caller frees. NULL and errno: ENOMEM; E2BIG: too many deep stacks. */
uint8_t *profile_pack_otlp(const struct profile *profile, const struct profile_otlp *head, size_t *size);

#endif
