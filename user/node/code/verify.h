/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks what is known of a VM by its release (newer_release.h) or by comparison (jit_calls.h) in the running node,
 * before anything is read or probed.
 */
#ifndef ERLBPF_NODE_CODE_VERIFY_H
#define ERLBPF_NODE_CODE_VERIFY_H

#include "target/target.h"

/* Once per VM: sets target->vm->like to 0, and ->mismatch, if the node contradicts. */
void verify_vm(const struct target *target);

#endif
