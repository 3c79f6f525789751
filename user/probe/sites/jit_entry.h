/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers on entry to an Erlang function in JIT code: a configuration without a site in a file. */
#ifndef ERLBPF_PROBE_SITES_JIT_ENTRY_H
#define ERLBPF_PROBE_SITES_JIT_ENTRY_H

#include "erl.h"
#include "target/target.h"

/*
 * The arguments of vm:breakpoint-entry, at the first instruction of a function (code_is_entry() in node/code/code.h).
 * 0, or -ENOENT: the JIT of this machine or release is unknown.
 */
int jit_entry_config(const struct target *target, const struct erl_pid_layout *pids,
		     const struct erl_name_layout *names, struct erl_config *config);

#endif
