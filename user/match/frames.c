// SPDX-License-Identifier: BSD-2-Clause
#include "match/frames.h"

#include <errno.h>

#include "base/array.h"
#include "elf/eh_frame.h"
#include "match/binary.h"

int frames_read(const void *table, size_t size, uint64_t address, struct binary_function **functions, size_t *count)
{
	struct eh_frame frames = { .table = table, .size = size, .address = address };
	struct eh_frame_entry entry;

	while (*count < FRAMES_MAX && eh_frame_next(&frames, &entry)) {
		if (entry.start > UINT32_MAX || !entry.size || entry.size > UINT32_MAX - entry.start)
			continue;
		if (!array_has_room(*functions, *count))
			return -ENOMEM;
		(*functions)[(*count)++] = (struct binary_function){ (uint32_t)entry.start, (uint32_t)entry.size };
	}
	return 0;
}
