/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Releases that are newer than all that are known: what holds for the newest one is presumed to hold for them, if what
 * is read from the node by its structures makes sense. Else nothing is presumed.
 */
#ifndef ERLBPF_NODE_PRESUME_H
#define ERLBPF_NODE_PRESUME_H

#include "target/target.h"

/* Once for each VM: sets target->vm->like to 0, and ->doubt, if its processes are not where they would be. */
void presume_check(const struct target *target);

#endif
