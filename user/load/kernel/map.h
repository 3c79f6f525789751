/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading large BPF maps with few system calls. */
#ifndef ERLBPF_LOAD_KERNEL_MAP_H
#define ERLBPF_LOAD_KERNEL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns true for an entry to delete. */
typedef bool map_visitor(void *data, const void *key, const void *value);

/* Every entry of a hash map. 0 or -errno. */
int map_each(int fd, map_visitor *visit, void *data);

/* The sum over all CPUs of a word of a per-CPU array; 0 if it cannot be read. */
uint64_t map_sum(int fd, uint32_t index);

#endif
