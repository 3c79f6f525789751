/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program finds in the registers when the JIT enters an Erlang function: a class that is no site's of a file. */
#ifndef ERLBPF_PROBE_SITES_JIT_ENTRY_H
#define ERLBPF_PROBE_SITES_JIT_ENTRY_H

#include "erl.h"
#include "target/target.h"

/*
 * The arguments of vm:breakpoint-entry, at the first instruction of a function (code_is_entry() of node/code/code.h).
 * 0, or -ENOENT: the JIT of this machine or of this release is not known.
 */
int jit_entry_config(const struct target *target, const struct erl_pid_layout *pids,
		     const struct erl_name_layout *names, struct erl_config *config);

#endif
