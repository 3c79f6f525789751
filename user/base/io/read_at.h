/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_BASE_IO_READ_AT_H
#define ERLBPF_BASE_IO_READ_AT_H

#include <stddef.h>
#include <stdint.h>

/* All bytes of a file from a place on: 0, -ENOENT if it does not have so many, or -errno. */
int read_at(int fd, uint64_t offset, void *to, size_t size);

#endif
