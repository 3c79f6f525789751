/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_BASE_IO_READ_AT_H
#define ERLBPF_BASE_IO_READ_AT_H

#include <stddef.h>
#include <stdint.h>

/* Reads exactly `size` bytes at `offset`. 0, -ENOENT if the file is shorter, or -errno. */
int read_at(int fd, uint64_t offset, void *to, size_t size);

#endif
