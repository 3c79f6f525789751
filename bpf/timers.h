/* SPDX-License-Identifier: BSD-2-Clause */
/* timers: contract between its BPF programs and tools/timers.c. */
#ifndef ERLBPF_BPF_TIMERS_H
#define ERLBPF_BPF_TIMERS_H

enum timers_kind {
	TIMERS_MESSAGE, /* send_after, start_timer */
	TIMERS_RECEIVE, /* receive ... after */
	TIMERS_PORT,	/* a driver's */
	TIMERS_KINDS,	/* also the tool's accounts: how many of each fired */
};

#endif
