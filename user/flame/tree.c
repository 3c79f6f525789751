// SPDX-License-Identifier: BSD-2-Clause
#include "flame/profile_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

struct sibling {
	uint32_t parent, node;
	const char *name;
};

/* By parent, whose number is smaller; then by name. */
static int by_place(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;
	int order = (x->parent > y->parent) - (x->parent < y->parent);

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : (x->node > y->node) - (x->node < y->node);
}

static void sum_up(const struct profile *profile, struct branch *branches)
{
	for (uint32_t i = (uint32_t)profile->node_count; i-- > 0;) {
		struct branch *branch = &branches[i], *parent = &branches[profile->nodes[i].parent];

		branch->node = i;
		branch->total = profile_sum(branch->total, profile->nodes[i].value);
		branch->before = profile_sum(branch->before, profile->nodes[i].before);
		if (!i)
			return;
		parent->total = profile_sum(parent->total, branch->total);
		parent->before = profile_sum(parent->before, branch->before);
	}
}

/* All nodes except the root, in drawing order. */
static struct sibling *sort_siblings(const struct profile *profile)
{
	struct sibling *siblings = calloc(profile->node_count, sizeof(*siblings));

	for (uint32_t i = 1; siblings && i < profile->node_count; i++)
		siblings[i - 1] = (struct sibling){ profile->nodes[i].parent, i,
						    profile_function(profile, profile->nodes[i].frame)->name };
	if (siblings)
		qsort(siblings, profile->node_count - 1, sizeof(*siblings), by_place);
	return siblings;
}

static void place(const struct profile *profile, struct branch *branches, const struct sibling *siblings)
{
	double next = 0;

	for (size_t i = 0; i + 1 < profile->node_count; i++) {
		const struct branch *parent = &branches[siblings[i].parent];
		struct branch *branch = &branches[siblings[i].node];

		if (!i || siblings[i].parent != siblings[i - 1].parent)
			next = parent->x;
		branch->x = next;
		branch->depth = parent->depth + 1;
		next += (double)branch->total;
	}
}

struct branch *tree_make(const struct profile *profile)
{
	_cleanup_free_ struct sibling *siblings = sort_siblings(profile);
	struct branch *branches = siblings ? calloc(profile->node_count, sizeof(*branches)) : NULL;

	if (!branches)
		return NULL;
	sum_up(profile, branches);
	place(profile, branches, siblings);
	return branches;
}
