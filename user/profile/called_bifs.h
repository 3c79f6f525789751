/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which BIF or NIF a place in Erlang code calls. Where a BIF goes on after a trap, or the compiler has made a jump of a
 * call, no function of C on the stack says which BIF runs, and a library does not say which NIFs its functions are; the
 * call before the address where their caller goes on does.
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

/* All must outlive it; the list may be NULL. NULL and errno. */
struct called_bifs *called_bifs_new(const struct target *target, const struct bif_list *bifs,
				    const struct objects *objects);
void called_bifs_free(struct called_bifs *called); /* NULL-safe */

/*
 * The BIF or NIF that is called before an address of Erlang code; NULL: none, or that is not known. What was not asked
 * for while the node lives is not known later: `is_over`.
 */
const char *called_bifs_at(struct called_bifs *called, struct naming *naming, uint64_t address, bool is_over);

/* Code was loaded in the place of other code. */
void called_bifs_forget(struct called_bifs *called);

#endif
