/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Releases newer than all known ones: they are assumed to be like the newest known one, if the node's structures look
 * consistent.
 */
#ifndef ERLBPF_NODE_ATOMS_NEWER_RELEASE_H
#define ERLBPF_NODE_ATOMS_NEWER_RELEASE_H

#include "target/target.h"

/* Why the node's release is not supported; NULL: it is, or it is known. */
const char *newer_release_refusal(const struct target *target);

#endif
