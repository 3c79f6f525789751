// SPDX-License-Identifier: BSD-2-Clause
#include "why/processes/allocator_use.h"

#include <string.h>

#include "node/memory/allocators.h"

void memory_finish(const struct target *target, struct signs *signs)
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
