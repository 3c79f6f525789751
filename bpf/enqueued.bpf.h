/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Messages and signals that enter a mailbox: the lists that vm:message-enqueued is given. Every message comes this
 * way, whoever sends it (a process, a NIF, a port, a timer, another node) and however its receiver is named.
 */
#ifndef ERLBPF_BPF_ENQUEUED_BPF_H
#define ERLBPF_BPF_ENQUEUED_BPF_H

#include "erl.bpf.h"

/* ErtsMessage (erl_message.h): the link to the next is first, the term or a signal's tag here. */
#define ENQUEUED_TERM 16
#define ENQUEUED_BATCH 32 /* that are looked at; only tracers send more at once */

/* Arguments of vm:message-enqueued. */
#define ENQUEUED_RECEIVER 0
#define ENQUEUED_SENDER 1
#define ENQUEUED_FIRST 2
#define ENQUEUED_LAST 3

/*
 * Is it a message, or a signal that will be one? Tags of signals look like the header of an external pid,
 * with the operation in its lowest bits (ERTS_PROC_SIG_MAKE_TAG in erl_proc_sig_queue.h). Sending to an
 * alias, as gen_server:call() is answered, is a signal (ERTS_SIG_Q_OP_ALIAS_MSG) that becomes a message in
 * its place.
 */
static __always_inline bool enqueued_is_message(u64 at)
{
	u64 tag = erl_load(at + ENQUEUED_TERM, 8, false);

	return (tag & 0x3f) != 0x30 || (tag >> 6 & 0xff) == 15;
}

/* How many messages are in the list. A global function: the verifier looks at it once. */
__noinline u32 enqueued_messages(u64 at, u64 last)
{
	u32 count = 0;

	for (int i = 0; i < ENQUEUED_BATCH && at; i++) {
		count += enqueued_is_message(at);
		if (at == last)
			break;
		at = erl_load(at, 8, false);
	}
	return count;
}

#endif
