/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How large a term of a node is that runs, without any cost for the node. It may be collected or freed meanwhile, so
 * this is an estimate; what cannot be read ends the count, and so does what is scattered over very much memory.
 */
#ifndef ERLBPF_NODE_TERMS_TERM_SIZE_H
#define ERLBPF_NODE_TERMS_TERM_SIZE_H

#include <stdint.h>

#include "target/target.h"

/* Words on the heap, without binaries: at most about so many are counted. */
uint64_t term_words(const struct target *target, uint64_t term, uint64_t most);

/* Elements of a list, pairs of a map; 0 of anything else. At most so many are counted. */
uint64_t term_elements(const struct target *target, uint64_t term, uint64_t most);

#endif
