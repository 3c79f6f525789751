// SPDX-License-Identifier: BSD-2-Clause
/* Memory access for term_format() to a snapshot of bpf/term.bpf.h. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "term/format.h"

_Static_assert(offsetof(struct term_snapshot, lines) == TERM_SNAPSHOT_HEAD, "lines follow the head");

static const struct term_line *find_line(const struct term_snapshot *s, uint64_t base)
{
	for (uint32_t i = 0; i < s->count && i < TERM_LINES; i++) {
		if ((s->lines[i].address & ~TERM_LINE_FAULT) == base)
			return &s->lines[i];
	}
	return NULL;
}

static int read_snapshot(const void *data, uint64_t address, void *to, size_t size)
{
	const struct term_snapshot *s = data;
	char *at = to;

	while (size) {
		size_t offset = address % TERM_LINE, part = TERM_LINE - offset;
		const struct term_line *line = find_line(s, address - offset);

		if (!line)
			return -ENODATA;
		if (line->address & TERM_LINE_FAULT)
			return -EFAULT;
		if (part > size)
			part = size;
		memcpy(at, (const char *)line->words + offset, part);
		address += part;
		at += part;
		size -= part;
	}
	return 0;
}

size_t term_format_snapshot(const struct term_vm *vm, const struct term_snapshot *snapshot, char *buf, size_t size)
{
	struct term_memory memory = { .vm = vm, .read = read_snapshot, .data = snapshot };

	return term_format(&memory, snapshot->term, buf, size);
}

size_t term_snapshot_bytes(const struct term_snapshot *snapshot, uint64_t address, void *to, size_t size)
{
	char *at = to;
	size_t n = 0;

	while (n < size && !read_snapshot(snapshot, address + n, at + n, 1))
		n++;
	return n;
}
