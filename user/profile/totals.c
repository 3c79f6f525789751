// SPDX-License-Identifier: BSD-2-Clause
#include "profile/totals.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>

#include "base/cleanup.h"

uint64_t totals_read(int map, uint32_t key)
{
	int cpus = libbpf_num_possible_cpus();
	_cleanup_free_ uint64_t *values = cpus > 0 ? calloc((size_t)cpus, sizeof(*values)) : NULL;
	uint64_t sum = 0;

	if (!values || bpf_map_lookup_elem(map, &key, values))
		return 0;
	for (int i = 0; i < cpus; i++)
		sum += values[i];
	return sum;
}
