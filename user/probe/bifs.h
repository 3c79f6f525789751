/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The BIFs of a node, from its table of them: C functions of one shape, whose arguments are Erlang's.
 */
#ifndef ERLBPF_PROBE_BIFS_H
#define ERLBPF_PROBE_BIFS_H

#include <stddef.h>
#include <stdint.h>

#include "target/target.h"

#define BIF_MAX_ARITY 8

struct bif {
	uint64_t address;	/* in the file, as symbols have it */
	unsigned int arity;
	char *name;		/* "ets:insert/2", hostile */
};

/* By address. Zeroed, it is empty. */
struct bif_list {
	struct bif *bifs;
	size_t count;
};

/* 0 or -errno; -ENOENT if the node has no table that could be read. The caller frees the list. */
int bif_list_read(const struct target *target, struct bif_list *list);
void bif_list_free(struct bif_list *list);

/* The BIF that this function is, NULL: none. */
const struct bif *bif_find(const struct bif_list *list, uint64_t address);

#endif
