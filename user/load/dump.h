/* SPDX-License-Identifier: BSD-2-Clause */
/* What is counted in the kernel, generation by generation: see bpf/generation.bpf.h. */
#ifndef ERLBPF_LOAD_DUMP_H
#define ERLBPF_LOAD_DUMP_H

#include <stddef.h>

#include "load/load.h"

/* A growing array of keys and of values, as the batch operations of bpf(2) fill them. */
struct dump {
	char *keys, *values;
	size_t count;
};

/* Move all entries of a hash out of the kernel. 0 or -errno; dump_free() also after a failure. */
int dump_take(int fd, size_t key_size, size_t value_size, struct dump *dump);
/* The same, and they stay there. */
int dump_look(int fd, size_t key_size, size_t value_size, struct dump *dump);
void dump_free(struct dump *dump);

/*
 * From now on programs that begin count in the other generation; after kernel_quiesce() none writes to the one
 * returned. 0 or -errno.
 */
int dump_turn(const struct loader *loader, __u32 *old);

#endif
