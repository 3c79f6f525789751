/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a trace on the command line gives up when its probes are in place. The memory of its nodes is read by the reader
 * (target/reader/reader.h), and its links are the guardian's (load/guardian/guardian.h): each has what it takes for
 * this and no more.
 */
#ifndef ERLBPF_RUN_UNPRIVILEGED_H
#define ERLBPF_RUN_UNPRIVILEGED_H

#include <stdbool.h>
#include <stdint.h>

#include "load/kernel/kernel.h"

struct unprivileged {
	const struct kernel *kernel;
	bool attaches; /* nodes that start later are to be found and traced */
	uint64_t more; /* capabilities that are wanted on top */
};

/*
 * All capabilities that the rest does not take, and with them most system calls: for good. No thread of ours is left
 * that still has them. 0 or -errno, explained.
 */
int unprivileged_begin(const struct unprivileged *how);

/*
 * The same for a command that looks at nodes and ends soon: no root, and only the capabilities to read and those of
 * `more`. System calls are not filtered. What cannot be given up is kept.
 */
void unprivileged_look(uint64_t more);

#endif
