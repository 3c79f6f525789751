/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs the functions of two builds: first anchors, then functions with a unique text, then neighbours of pairs in the
 * call graph, the most similar first.
 */
#ifndef ERLBPF_MATCH_PAIRING_H
#define ERLBPF_MATCH_PAIRING_H

#include "match/graph/effort.h"
#include "match/graph/graph.h"

#define PAIRING_NONE UINT32_MAX

struct pairing {
	uint32_t *partner;	/* for each function of `known`, the one of `other`, or PAIRING_NONE */
	uint32_t *reverse;	/* for each function of `other` */
	float *similarity;	/* of each pair, 0 to 1; by the function of `known` */
	bool *is_anchor;	/* the pair is certain */
	float build_similarity; /* average similarity of the anchors: how alike the builds are */
};

/* 0, -ENOEXEC if it takes too much work, or -ENOMEM. Call pairing_free() in any case. */
int pairing_make(const struct graph *known, const struct graph *other, struct effort *effort, struct pairing *pairing);
void pairing_free(struct pairing *pairing);

#endif
