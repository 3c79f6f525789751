/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Calls of native code: vm:native-entry, and erlang:nif-entry where there are notes. */
#ifndef ERLBPF_BPF_NATIVE_BPF_H
#define ERLBPF_BPF_NATIVE_BPF_H

#include "name.bpf.h"

/* The function that is called, as an id: a note has it as text. */
static __always_inline u64 native_callee(void *ctx, const struct erl_hit *hit)
{
	u64 mfa = erl_arg(ctx, hit, 1);

	return erl_config.args[1].form == ERL_FORM_TEXT ? name_of_user_text(mfa) : name_of_mfa_at(mfa);
}

#endif
