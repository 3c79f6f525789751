/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The internals of a profile. Stacks are paths in one tree, because stacks have most frames in common: a node is a
 * frame below its caller, with the weight of the stacks that end there.
 */
#ifndef ERLBPF_FLAME_PROFILE_PARTS_H
#define ERLBPF_FLAME_PROFILE_PARTS_H

#include "flame/intern.h"
#include "flame/profile.h"

struct function {
	const char *name;
	const char *file; /* "": unknown */
	enum frame_kind kind;
};

struct frame {
	uint32_t function;
	uint32_t line; /* 0: unknown */
};

struct node {
	uint32_t parent; /* has a smaller number */
	uint32_t frame;
	uint64_t value;	 /* of stacks that end here */
	uint64_t before; /* the same in the base of a difference */
};

struct profile {
	char *title, *unit;
	struct function *functions;
	size_t function_count, function_room;
	struct frame *frames;
	size_t frame_count, frame_room;
	struct node *nodes; /* the first is the root, which has no frame */
	size_t node_count, node_room;
	struct intern function_numbers, frame_numbers, node_numbers;
	uint64_t seed;	     /* of hashes, random, so that names cannot be chosen to collide */
	size_t bytes, limit; /* in use, allowed */
	uint64_t total, before, lost, lost_cases;
	bool is_difference;
	double least; /* percent, see profile_least() */
	uint64_t start_unix_ns, duration_ns, period_ns;
};

static inline const struct function *profile_function(const struct profile *profile, uint32_t frame)
{
	return &profile->functions[profile->frames[frame].function];
}

/* Weights may come from files: a sum that overflows stays at the maximum. */
static inline uint64_t profile_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* An empty profile with the same title, unit, times, limit and loss. */
struct profile *profile_like(const struct profile *profile);

/* A stack that has weight; the root first. */
struct stack {
	const uint32_t *frames;
	size_t count;
	uint64_t value, before;
};

/* Calls `each` for each stack, which is valid during the call. */
void profile_each_stack(const struct profile *profile, void (*each)(void *data, const struct stack *stack), void *data);

/* --- totals.c --- */

struct function_total {
	uint32_t function;
	uint64_t self, total;
	uint64_t self_before, total_before; /* in the base of a difference */
};

/*
 * The totals of all functions except groups, unsorted: *count elements. The caller frees them. NULL and errno if memory
 * is exhausted.
 */
struct function_total *totals_make(const struct profile *profile, size_t *count);

/* --- tree.c --- */

struct branch {
	uint64_t total, before;
	uint32_t node, depth;
	double x; /* left edge, as weight from the root's left edge */
};

/*
 * One element per node, in the same order; children are placed from left to right by name. The caller frees them. NULL
 * and errno if memory is exhausted.
 */
struct branch *tree_make(const struct profile *profile);

/* --- totals.c --- */

#define WEIGHT_SIZE 32

/* "1.25ms" if the unit is ns, otherwise the number. Returns buf. */
const char *weight_format(const struct profile *profile, uint64_t weight, char buf[WEIGHT_SIZE]);

/* 0 if the whole is 0. */
double weight_percent(uint64_t part, uint64_t whole);

#endif
