/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remembers sampled Erlang code. A reloaded module may get the memory of an older version, so an address belongs to the
 * old module in samples before that, and to the new one after.
 */
#ifndef ERLBPF_PROFILE_SEEN_CODE_H
#define ERLBPF_PROFILE_SEEN_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "node/code/code.h"
#include "target/target.h"

struct seen_code;

/* The target is borrowed. NULL and errno. */
struct seen_code *seen_code_new(const struct target *target);
void seen_code_free(struct seen_code *seen); /* NULL-safe */

/*
 * A sampled address was named by a function of the list. Remembers the function and its module if the node still has
 * both there.
 */
bool seen_code_add(struct seen_code *seen, const struct code_list *list, const struct code_function *function,
		   uint64_t address);

/* Remembers a function of the node that is in no list. */
void seen_code_add_alone(struct seen_code *seen, uint64_t start);

/* True if that function has changed. False if it was not remembered. */
bool seen_code_is_other(const struct seen_code *seen, uint64_t start);

/* True if anything remembered has changed. Unreadable memory counts as unchanged. */
bool seen_code_has_changed(const struct seen_code *seen);

/* Nothing was seen. */
void seen_code_forget(struct seen_code *seen);

#endif
