/* SPDX-License-Identifier: BSD-2-Clause */
/* What the file of a VM says without symbols: its release, its version, its table of BIFs. */
#ifndef ERLBPF_MATCH_FACTS_H
#define ERLBPF_MATCH_FACTS_H

#include "match/graph/anchors.h"
#include "match/graph/binary.h"
#include "match/match.h"

struct facts {
	int release; /* 0: unknown */
	struct match_symbol all[8];
	size_t count;
};

void facts_find(const struct binary *binary, const struct anchors_tables *tables, struct facts *facts);

#endif
