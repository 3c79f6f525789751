/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Erlang code that was sampled, as it was then: a module that is loaded anew may get the memory of an older version,
 * and what is sampled at an address of both belongs to one before, and to the other one from then on.
 */
#ifndef ERLBPF_PROFILE_SEEN_CODE_H
#define ERLBPF_PROFILE_SEEN_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "node/code/code.h"
#include "target/target.h"

struct seen_code;

/* The target must outlive it. NULL and errno. */
struct seen_code *seen_code_new(const struct target *target);
void seen_code_free(struct seen_code *seen); /* NULL-safe */

/*
 * An address has got its name by a function of the list. Does the node have that there now, in a module that the list
 * has? Then it is remembered, with its module.
 */
bool seen_code_add(struct seen_code *seen, const struct code_list *list, const struct code_function *function,
		   uint64_t address);

/* The node has a function there, which is in no list. */
void seen_code_add_alone(struct seen_code *seen, uint64_t start);

/* Is that function another now? False if it was not seen. */
bool seen_code_is_other(const struct seen_code *seen, uint64_t start);

/* Is anything that was added another now? What cannot be read is as it was. */
bool seen_code_has_changed(const struct seen_code *seen);

/* Nothing was seen. */
void seen_code_forget(struct seen_code *seen);

#endif
