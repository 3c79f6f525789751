/* SPDX-License-Identifier: BSD-2-Clause */
/* spawn-exit: contract between its BPF program and tools/spawn-exit.c. */
#ifndef ERLBPF_BPF_SPAWN_EXIT_H
#define ERLBPF_BPF_SPAWN_EXIT_H

#include "term.h"

#define SPAWN_EXIT_THREADS 16384 /* of all traced VMs */

struct spawn_exit_config {
	__u64 erl_pid; /* only what is of or for this Erlang pid, 0: all */
};

enum spawn_exit_kind {
	SPAWN_EXIT_SPAWN,
	SPAWN_EXIT_EXIT,
	SPAWN_EXIT_SIGNAL,
	SPAWN_EXIT_REMOTE_SIGNAL,
	SPAWN_EXIT_KINDS,
};

/* How the record has the reason. */
enum spawn_exit_reason {
	SPAWN_EXIT_NO_REASON,
	SPAWN_EXIT_TERM, /* a struct term_snapshot follows */
	SPAWN_EXIT_TEXT, /* text follows, as long as the record is */
};

struct spawn_exit_event {
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u32 os_id;
	__u32 kind;
	__u64 id;    /* the process that is born or exits, or sends; 0: not known, as of the others */
	__u64 other; /* its parent, or who gets the signal */
	__u64 name;
	__u64 other_name; /* of another node's process: the node's name */
	__u64 call;	  /* what the process `id` was spawned to run */
	__u32 reason;
	__u32 pad;
};

/* Cases that are not in the events. */
enum spawn_exit_account {
	SPAWN_EXIT_GONE, /* signals to processes that have ended */
	SPAWN_EXIT_ACCOUNTS,
};

#endif
