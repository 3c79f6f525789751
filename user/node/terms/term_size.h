/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Estimates the size of a term in a running node, at no cost for the node. The term may be collected or freed
 * meanwhile. Unreadable memory ends the count, and so does a term scattered over very many blocks.
 */
#ifndef ERLBPF_NODE_TERMS_TERM_SIZE_H
#define ERLBPF_NODE_TERMS_TERM_SIZE_H

#include <stdint.h>

#include "target/target.h"

/* Words on the heap, without binaries; stops at about `most`. */
uint64_t term_words(const struct target *target, uint64_t term, uint64_t most);

/* Elements of a list, pairs of a map; 0 for other terms. Stops at `most`. */
uint64_t term_elements(const struct target *target, uint64_t term, uint64_t most);

#endif
