// SPDX-License-Identifier: BSD-2-Clause
/* Memory that the allocators of a node hold and do not use. */
#include <string.h>

#include "node/memory/allocators.h"
#include "target/target.h"
#include "why/source/signs.h"
#include "why/source/source.h"

static void allocators_finish(const struct target *target, struct signs *signs)
{
	struct allocator_use uses[ALLOCATORS_MAX];
	size_t count = allocators_read(target, uses), worst = 0;

	for (size_t i = 0; i < count; i++) {
		signs->allocators.carriers += uses[i].carriers;
		signs->allocators.blocks += uses[i].blocks;
		if (uses[i].carriers - uses[i].blocks > uses[worst].carriers - uses[worst].blocks)
			worst = i;
	}
	if (!count)
		return;
	strcpy(signs->allocators.worst, uses[worst].name);
	signs->allocators.worst_carriers = uses[worst].carriers;
	signs->allocators.worst_blocks = uses[worst].blocks;
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	(void)state;
	allocators_finish(node->target, signs);
}

const struct why_source allocator_use_source = {
	.finish = source_finish,
};
