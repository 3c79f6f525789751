/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile of processor time as a message of OTLP, the protocol of OpenTelemetry. Stacks whose root is a group are
 * those of the node of that name: each node is a resource with a profile of its own.
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
	const struct profile_attribute *resource; /* of each node, which has its name as the attribute `node`, too */
	size_t attributes;
	uint64_t start_unix_ns, duration_ns, period_ns;
	uint8_t id[PROFILE_OTLP_ID]; /* the same whenever the same profile is sent again */
};

/*
 * A message of Otlp_profiles.Request, which the caller frees. NULL and errno: ENOMEM; E2BIG: its stacks are too deep
 * and too many to be sent.
 */
uint8_t *profile_pack_otlp(const struct profile *profile, const struct profile_otlp *head, size_t *size);

#endif
