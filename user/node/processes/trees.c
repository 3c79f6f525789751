// SPDX-License-Identifier: BSD-2-Clause
/* Source: erl_rbtree.h and its users. In a red-black tree, no path is more than twice as long as another. */
#include "node/processes/trees.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "target/reader/procfs.h"

#define BATCH 256    /* nodes per read */
#define MOST_SPAN 64 /* bytes read of a node */

static size_t descend_some(const struct target *target, size_t offset, struct tree_place *places, size_t count)
{
	struct procfs_piece pieces[BATCH];
	uint64_t left[BATCH] = {};
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ .address = places[i].node + offset,
						   .to = &left[i],
						   .size = sizeof(*left) };
	procfs_pieces(target->pid, pieces, count);
	for (size_t i = 0; i < count; i++) {
		if (pieces[i].is_read && left[i])
			places[kept++] = (struct tree_place){ .node = left[i], .owner = places[i].owner };
	}
	return kept;
}

size_t trees_descend(const struct target *target, const struct tree_shape *shape, struct tree_place *places,
		     size_t count)
{
	size_t kept = 0;

	for (size_t from = 0; from < count; from += BATCH) {
		size_t some = count - from < BATCH ? count - from : BATCH;
		size_t n = descend_some(target, shape->left, places + from, some);

		memmove(places + kept, places + from, n * sizeof(*places));
		kept += n;
	}
	return kept;
}

/* From the right child on: the three words are close to each other. */
static size_t span_of(const struct tree_shape *shape)
{
	size_t last = shape->value > shape->left ? shape->value : shape->left;

	return last - shape->right + sizeof(uint64_t);
}

/* `words` are addresses of nodes, those before `done` are already replaced by values. */
static size_t read_some(const struct target *target, const struct tree_shape *shape, uint64_t *words, size_t done,
			size_t known, size_t most)
{
	size_t count = known - done < BATCH ? known - done : BATCH, span = span_of(shape);
	struct procfs_piece pieces[BATCH];
	char bytes[BATCH][MOST_SPAN];

	memset(bytes, 0, sizeof(bytes));
	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ .address = words[done + i] + shape->right,
						   .to = bytes[i],
						   .size = span };
	procfs_pieces(target->pid, pieces, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t below[2];

		memcpy(&below[0], bytes[i], sizeof(*below));
		memcpy(&below[1], bytes[i] + shape->left - shape->right, sizeof(*below));
		memcpy(&words[done + i], bytes[i] + shape->value - shape->right, sizeof(*words));
		for (int k = 0; k < 2; k++) {
			if (pieces[i].is_read && below[k] && known < most)
				words[known++] = below[k];
		}
	}
	return known;
}

/* If the memory of the tree was reused, its words may form cycles. */
static bool has_circle(uint64_t *nodes, size_t count)
{
	qsort(nodes, count, sizeof(*nodes), array_compare_u64);
	for (size_t i = 1; i < count; i++) {
		if (nodes[i] == nodes[i - 1])
			return true;
	}
	return false;
}

size_t trees_values(const struct target *target, const struct tree_shape *shape, uint64_t root, uint64_t *values,
		    size_t most)
{
	_cleanup_free_ uint64_t *nodes = calloc(most + 1, sizeof(*nodes));
	size_t known = 0;

	if (nodes && root && most && shape->right <= shape->left && shape->right <= shape->value &&
	    span_of(shape) <= MOST_SPAN)
		values[known++] = root;
	for (size_t done = 0; done < known;) {
		size_t next = known - done < BATCH ? known : done + BATCH;

		memcpy(nodes + done, values + done, (next - done) * sizeof(*nodes));
		known = read_some(target, shape, values, done, known, most);
		done = next;
	}
	return known && has_circle(nodes, known) ? 0 : known;
}
