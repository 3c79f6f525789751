/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading large BPF maps with few system calls. */
#ifndef ERLBPF_LOAD_MAP_H
#define ERLBPF_LOAD_MAP_H

#include <stdbool.h>
#include <stddef.h>

/* Every entry of a hash map. `visit` returns true for those to delete. 0 or -errno. */
int map_each(int fd, bool (*visit)(void *data, const void *key, const void *value), void *data);

#endif
