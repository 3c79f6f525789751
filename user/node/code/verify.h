/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of a VM by its release (presume.h) or by comparison (jit_calls.h) is compared with the node, before
 * anything is read or probed by it.
 */
#ifndef ERLBPF_NODE_CODE_VERIFY_H
#define ERLBPF_NODE_CODE_VERIFY_H

#include "target/target.h"

/* Once for each VM: sets target->vm->like to 0, and ->mismatch, if the node does not agree. */
void verify_vm(const struct target *target);

#endif
