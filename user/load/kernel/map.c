// SPDX-License-Identifier: BSD-2-Clause
#include "load/kernel/map.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/cleanup.h"

/* Entries that are read together; more than a bucket ever has, or the kernel says ENOSPC. */
#define BATCH 4096

static int each_of_size(int fd, size_t key_size, size_t value_size, map_visitor *visit, void *data)
{
	_cleanup_free_ char *keys = malloc(BATCH * key_size), *values = malloc(BATCH * value_size);
	/* The kernel's mark of how far it has come: of a hash map, the number of a bucket. */
	uint32_t in, out;
	bool is_first = true;
	int err = keys && values ? 0 : -ENOMEM;

	while (!err) {
		uint32_t count = BATCH;

		if (bpf_map_lookup_batch(fd, is_first ? NULL : &in, &out, keys, values, &count, NULL))
			err = -errno;
		if (err && err != -ENOENT)
			break;
		for (uint32_t i = 0; i < count; i++) {
			if (visit(data, keys + i * key_size, values + i * value_size))
				bpf_map_delete_elem(fd, keys + i * key_size);
		}
		in = out;
		is_first = false;
	}
	return err == -ENOENT ? 0 : err;
}

int map_each(int fd, map_visitor *visit, void *data)
{
	struct bpf_map_info info = {};
	__u32 size = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		return -errno;
	return each_of_size(fd, info.key_size, info.value_size, visit, data);
}

uint64_t map_sum(int fd, uint32_t index)
{
	int cpus = libbpf_num_possible_cpus();
	_cleanup_free_ uint64_t *counts = calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*counts));
	uint64_t sum = 0;

	if (!counts || cpus <= 0 || bpf_map_lookup_elem(fd, &index, counts))
		return 0;
	for (int i = 0; i < cpus; i++)
		sum += counts[i];
	return sum;
}
