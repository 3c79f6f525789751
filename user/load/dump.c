// SPDX-License-Identifier: BSD-2-Clause
#include "load/dump.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "load/kernel/kernel.h"

#define BATCH 4096

/* Elements have a size that only the map knows, and the kernel fills a batch at a time. */
static int dump_grow(struct dump *dump, size_t key_size, size_t value_size)
{
	char *keys = realloc(dump->keys, (dump->count + BATCH) * key_size);
	char *values;

	if (!keys)
		return -ENOMEM;
	dump->keys = keys;
	values = realloc(dump->values, (dump->count + BATCH) * value_size);
	if (!values)
		return -ENOMEM;
	dump->values = values;
	return 0;
}

static int dump_all(int fd, bool takes, size_t key_size, size_t value_size, struct dump *dump)
{
	_cleanup_free_ char *position = calloc(1, key_size > 4 ? key_size : 4);
	bool is_first = true;

	if (!position)
		return -ENOMEM;
	for (;;) {
		void *from = is_first ? NULL : position;
		__u32 count = BATCH;
		char *keys, *values;
		int err = dump_grow(dump, key_size, value_size);

		if (err)
			return err;
		keys = dump->keys + dump->count * key_size;
		values = dump->values + dump->count * value_size;
		if (takes)
			err = bpf_map_lookup_and_delete_batch(fd, from, position, keys, values, &count, NULL);
		else
			err = bpf_map_lookup_batch(fd, from, position, keys, values, &count, NULL);
		if (err && errno != ENOENT)
			return -errno;
		dump->count += count;
		is_first = false;
		if (err)
			return 0;
	}
}

int dump_take(int fd, size_t key_size, size_t value_size, struct dump *dump)
{
	return dump_all(fd, true, key_size, value_size, dump);
}

int dump_look(int fd, size_t key_size, size_t value_size, struct dump *dump)
{
	return dump_all(fd, false, key_size, value_size, dump);
}

void dump_free(struct dump *dump)
{
	free(dump->keys);
	free(dump->values);
}

int dump_turn(const struct loader *loader, __u32 *old)
{
	int fd = loader_map(loader, "erl_generation");
	__u32 zero = 0, next;

	if (bpf_map_lookup_elem(fd, &zero, old))
		return -errno;
	next = *old ^ 1;
	return bpf_map_update_elem(fd, &zero, &next, BPF_ANY) ? -errno : 0;
}
