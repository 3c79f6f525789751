// SPDX-License-Identifier: BSD-2-Clause
/* Trees of a node, here in our own memory. */
#include "node/processes/trees.h"

#include <unistd.h>

#include "check.h"

#define NODES 1000

struct tree_node {
	uint64_t right, left, value;
};

static const struct tree_shape shape = {
	.right = offsetof(struct tree_node, right),
	.left = offsetof(struct tree_node, left),
	.value = offsetof(struct tree_node, value),
};

static struct tree_node nodes[NODES + 1];

static uint64_t address_of(size_t i)
{
	return i <= NODES ? (uint64_t)(uintptr_t)&nodes[i] : 0;
}

/* Below the i-th one are those with twice its number, and the next. */
static void make_tree(void)
{
	for (size_t i = 1; i <= NODES; i++)
		nodes[i] = (struct tree_node){ .left = address_of(2 * i), .right = address_of(2 * i + 1), .value = i };
}

static size_t read_tree(uint64_t *values, size_t most)
{
	const struct target target = { .pid = getpid() };

	return trees_values(&target, &shape, address_of(1), values, most);
}

Test(trees, all_values_are_found_once)
{
	uint64_t values[2 * NODES], sum = 0;

	make_tree();
	cr_assert(eq(sz, read_tree(values, COUNT(values)), NODES));
	for (size_t i = 0; i < NODES; i++)
		sum += values[i];
	cr_expect(eq(u64, sum, NODES * (NODES + 1) / 2));
	cr_expect(eq(sz, read_tree(values, 10), 10));
}

Test(trees, memory_that_leads_in_circles_is_no_tree)
{
	uint64_t values[2 * NODES];

	make_tree();
	nodes[NODES].left = address_of(1);
	cr_expect(eq(sz, read_tree(values, COUNT(values)), 0));
}
