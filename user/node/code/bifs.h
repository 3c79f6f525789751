/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The BIFs of a VM: which C function answers for which Erlang function. The VM keeps that in bif_table, an
 * exported table, and calls the functions directly, so each can be probed by itself.
 */
#ifndef ERLBPF_NODE_CODE_BIFS_H
#define ERLBPF_NODE_CODE_BIFS_H

#include <stddef.h>
#include <stdint.h>

#include "target/target.h"

#define BIF_MAX_ARITY 8
#define BIF_MFA_SIZE 528

struct bif {
	char *mfa;	  /* "ets:insert/2", hostile, below BIF_MFA_SIZE */
	uint64_t address; /* in the file; no two have the same */
	uint64_t size;	  /* of the function */
	unsigned int arity;
};

struct bif_list {
	struct bif *bifs; /* by address */
	size_t count;
};

/*
 * Of the target's VM, which keeps the list for its other processes. NULL if the table, or the process's
 * memory, cannot be read.
 */
const struct bif_list *bifs_of(const struct target *target);

/* The BIF that the function at this address is, NULL: none. The list may be NULL. */
const struct bif *bif_find(const struct bif_list *list, uint64_t address);

#endif
