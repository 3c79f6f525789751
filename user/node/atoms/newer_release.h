/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Releases that are newer than all that are known: what holds for the newest one is presumed to hold for them, if what
 * is read from the node by its structures makes sense. Else nothing is presumed.
 */
#ifndef ERLBPF_NODE_ATOMS_NEWER_RELEASE_H
#define ERLBPF_NODE_ATOMS_NEWER_RELEASE_H

#include "target/target.h"

/* Why nothing can be presumed of the node's release; NULL: it can, or the release is known. */
const char *newer_release_refusal(const struct target *target);

#endif
