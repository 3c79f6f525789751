/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which function of one build is which of another: anchors first, then functions with a text that no other has, then
 * the neighbours of those in the graph of calls, the most alike first.
 */
#ifndef ERLBPF_MATCH_PAIRING_H
#define ERLBPF_MATCH_PAIRING_H

#include "match/graph/effort.h"
#include "match/graph/graph.h"

#define PAIRING_NONE UINT32_MAX

struct pairing {
	uint32_t *partner; /* of each function of `known`, in `other`; PAIRING_NONE: none */
	uint32_t *reverse; /* of each function of `other` */
	float *likeness;   /* of each pair, from 0 to 1; by the function of `known` */
	bool *is_anchor;   /* the pair is sure */
	float kinship;	   /* how alike such pairs are, on average: how alike the builds are */
};

/* 0, -ENOEXEC if that is too much work, or -ENOMEM. pairing_free() in any case. */
int pairing_make(const struct graph *known, const struct graph *other, struct effort *effort, struct pairing *pairing);
void pairing_free(struct pairing *pairing);

#endif
