/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A build in the form in which it is compared: its functions, the features of each (hashes of texts, constants, library
 * functions, structure offsets), and the call graph.
 */
#ifndef ERLBPF_MATCH_GRAPH_GRAPH_H
#define ERLBPF_MATCH_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAPH_MAX_PAIRS (1u << 20) /* per relation; a BEAM has 130,000 with duplicates */
#define GRAPH_MAX_FUNCTIONS 0xffff
#define GRAPH_MAX_TOUCHED 64 /* first objects of a function */

/* The items of each function, without duplicates. Sorted; TOUCHES is in the order of the code. */
struct relation {
	uint32_t *first; /* index of each function's first item, and of the end */
	uint32_t *items;
};

/*
 * An object that a function uses, and whether the code computes its address or accesses it: where one compiler takes
 * the address of a structure, another may read a member.
 */
#define TOUCHED(address, is_computed) ((uint32_t)(address) << 1 | ((is_computed) ? 1 : 0))
#define TOUCHED_ADDRESS(item) ((item) >> 1)
#define TOUCHED_IS_COMPUTED(item) ((item)&1)

/* The two low bits of a feature are its kind, because kinds have different weights. */
enum feature { FEATURE_TEXT, FEATURE_IMPORT, FEATURE_CONSTANT, FEATURE_PLACE };

/* A certain identification of a function: exported, a BIF, or next to a name in a table. */
struct anchor {
	uint32_t key; /* hash of the identification */
	uint32_t function;
};

enum graph_relation { HAS_FEATURES, CALLS, TAKES, CALLED_BY, TOUCHES, RELATIONS };

struct graph {
	size_t count;		/* functions */
	uint16_t *instructions; /* of each function */
	uint16_t *registers;	/* of each function: registers.h */
	/* CALLS: functions; TAKES: functions whose address it takes; CALLED_BY: the reverse of both; TOUCHES: data. */
	struct relation relations[RELATIONS];
	struct anchor *anchors; /* by unique key */
	size_t anchor_count;
};

#define relation_size(relation, function) ((relation)->first[(function) + 1] - (relation)->first[function])

/* Collects the pairs of a relation, in any order. */
struct relation_builder {
	uint64_t *pairs;
	size_t count, room;
};

/* 0, -ENOEXEC if there are too many pairs, or -ENOMEM. */
int relation_add(struct relation_builder *builder, uint32_t function, uint32_t item);

/* Makes a relation, sorted or in the order of insertion, and frees the pairs. 0 or -ENOMEM. */
int relation_make(struct relation_builder *builder, size_t functions, struct relation *relation);
int relation_make_in_order(struct relation_builder *builder, size_t functions, struct relation *relation);

/* Makes CALLED_BY from CALLS and TAKES. 0 or an error of relation_add(). */
int graph_reverse(struct graph *graph);

/* Sorts the anchors and drops keys that are not unique. */
void graph_sort_anchors(struct graph *graph);

void graph_free(struct graph *graph);

#endif
