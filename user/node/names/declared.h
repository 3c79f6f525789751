/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of an application's own probes in a node, fired or not. The package erlbpf creates an atom for each
 * (erlbpf:marks/1 in probes/app) when a module compiled with its parse transform is loaded, or when the name is
 * declared. So they are read from the atom table, without running code in the node.
 */
#ifndef ERLBPF_NODE_NAMES_DECLARED_H
#define ERLBPF_NODE_NAMES_DECLARED_H

#include <stddef.h>

#include "target/target.h"

#define DECLARED_MOST 1000 /* maximum number of names */

struct declared {
	char **names; /* hostile, sorted */
	size_t count;
	size_t left_out; /* number of names beyond DECLARED_MOST */
};

/* 0 or -errno; the caller frees the result in any case. A node whose atoms are unreadable has no names. */
int declared_read(const struct target *target, struct declared *declared);
void declared_free(struct declared *declared);

#endif
