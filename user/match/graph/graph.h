/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A build, as far as it can be compared with others: its functions, what each of them contains (texts, constants,
 * functions of libraries, places in structures; hashes of them), and who calls whom.
 */
#ifndef ERLBPF_MATCH_GRAPH_GRAPH_H
#define ERLBPF_MATCH_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAPH_MAX_PAIRS (1u << 20) /* of a relation; a BEAM has 130,000 with doubles */
#define GRAPH_MAX_FUNCTIONS 0xffff
#define GRAPH_MAX_TOUCHED 64 /* objects of a function, the first ones */

/* A relation: what each function has, each once; sorted, or in the order of its code (TOUCHES). */
struct relation {
	uint32_t *first; /* where those of a function begin; one more than there are functions */
	uint32_t *items;
};

/*
 * What a function touches, and whether it computes the address or reads or writes there: where one compiler takes the
 * address of a structure, another may read a member of it.
 */
#define TOUCHED(address, is_computed) ((uint32_t)(address) << 1 | ((is_computed) ? 1 : 0))
#define TOUCHED_ADDRESS(item) ((item) >> 1)
#define TOUCHED_IS_COMPUTED(item) ((item)&1)

/* The kind of a feature is in its two low bits: how much it tells differs. */
enum feature { FEATURE_TEXT, FEATURE_IMPORT, FEATURE_CONSTANT, FEATURE_PLACE };

/* Something that is sure to name a function: that it is exported, a BIF, in a table beside a text. */
struct anchor {
	uint32_t key; /* a hash of what it is */
	uint32_t function;
};

enum graph_relation { HAS_FEATURES, CALLS, TAKES, CALLED_BY, TOUCHES, RELATIONS };

struct graph {
	size_t count;		/* of functions */
	uint16_t *instructions; /* of each */
	uint16_t *registers;	/* of each: registers.h */
	/* CALLS: functions; TAKES: functions whose address it takes; CALLED_BY: the reverse of both; TOUCHES: data. */
	struct relation relations[RELATIONS];
	struct anchor *anchors; /* by key, which are unique */
	size_t anchor_count;
};

#define relation_size(relation, function) ((relation)->first[(function) + 1] - (relation)->first[function])

/* Gathers the pairs of a relation, in any order. */
struct relation_builder {
	uint64_t *pairs;
	size_t count, room;
};

/* 0, -ENOEXEC if there are too many of them, or -ENOMEM. */
int relation_add(struct relation_builder *builder, uint32_t function, uint32_t item);

/* The relation of the pairs, which are given up, sorted; or as they were added, function by function. 0 or -ENOMEM. */
int relation_make(struct relation_builder *builder, size_t functions, struct relation *relation);
int relation_make_in_order(struct relation_builder *builder, size_t functions, struct relation *relation);

/* Who is called by whom: from `CALLS` and `TAKES`. 0 or an error of relation_add(). */
int graph_reverse(struct graph *graph);

/* Those whose key is there twice name nobody. */
void graph_sort_anchors(struct graph *graph);

void graph_free(struct graph *graph);

#endif
