/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of an application's own probes that a node has, whether they have fired or not. The package erlbpf makes an
 * atom of each (erlbpf:marks/1 in probes/app), when a module that was compiled with its parse transform is loaded, or
 * when the name is declared. So they are read from the table of atoms, and nothing runs in the node.
 */
#ifndef ERLBPF_NODE_NAMES_DECLARED_H
#define ERLBPF_NODE_NAMES_DECLARED_H

#include <stddef.h>

#include "target/target.h"

#define DECLARED_MOST 1000 /* names that are kept */

struct declared {
	char **names; /* hostile, sorted */
	size_t count;
	size_t left_out; /* beyond DECLARED_MOST */
};

/* The caller frees it, also after an error: 0 or -errno. A node whose atoms cannot be read has none. */
int declared_read(const struct target *target, struct declared *declared);
void declared_free(struct declared *declared);

#endif
