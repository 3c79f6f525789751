/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The BIFs of a VM: the C function of each Erlang function. The VM has them in bif_table, an exported table, and calls
 * the functions directly, so each can be probed.
 */
#ifndef ERLBPF_NODE_CODE_BIFS_H
#define ERLBPF_NODE_CODE_BIFS_H

#include <stddef.h>
#include <stdint.h>

#include "target/target.h"

#define BIF_MAX_ARITY 8
#define BIF_MFA_SIZE 528

struct bif {
	char *mfa;	  /* "ets:insert/2", hostile, shorter than BIF_MFA_SIZE */
	uint64_t address; /* in the file; unique */
	uint64_t size;	  /* of the function */
	unsigned int arity;
};

struct bif_list {
	struct bif *bifs; /* by address */
	size_t count;
};

/*
 * The BIFs of the target's VM, which keeps the list for its other processes. NULL: the table or the process's memory is
 * unreadable.
 */
const struct bif_list *bifs_of(const struct target *target);

/* The BIF at this address, or NULL. The list may be NULL. */
const struct bif *bif_find(const struct bif_list *list, uint64_t address);

#endif
