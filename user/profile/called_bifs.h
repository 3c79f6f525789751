/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the BIF or NIF that Erlang code calls at an address. After a trap, or for a tail call, no C function on the
 * stack names the BIF, and a library does not say which NIFs its functions are. The call before the return address
 * does.
 */
#ifndef ERLBPF_PROFILE_CALLED_BIFS_H
#define ERLBPF_PROFILE_CALLED_BIFS_H

#include <stdbool.h>
#include <stdint.h>

#include "dtrace/symbols/objects.h"
#include "node/code/bifs.h"
#include "node/names/naming.h"
#include "target/target.h"

struct called_bifs;

/* Arguments are borrowed; the list may be NULL. NULL and errno. */
struct called_bifs *called_bifs_new(const struct target *target, const struct bif_list *bifs,
				    const struct objects *objects);
void called_bifs_free(struct called_bifs *called); /* NULL-safe */

/*
 * The BIF or NIF that is called before a return address, or NULL. `is_over`: the node has ended, and only earlier
 * results are known.
 */
const char *called_bifs_at(struct called_bifs *called, struct naming *naming, uint64_t address, bool is_over);

/* Forget results: other code was loaded at the same addresses. */
void called_bifs_forget(struct called_bifs *called);

#endif
