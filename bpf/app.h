/* SPDX-License-Identifier: BSD-2-Clause */
/* app: contract between its BPF program and tools/app.c. */
#ifndef ERLBPF_BPF_APP_H
#define ERLBPF_BPF_APP_H

#include <linux/types.h>

#include "pattern.h"

/* Kinds of firings: a plain probe, and the parts of a span, numbered as in the package. */
enum app_kind { APP_START, APP_STOP, APP_EXCEPTION, APP_HIT, APP_KINDS };

/* Which names are wanted. */
struct app_config {
	struct pattern pattern;
	__u32 is_any;
	__u32 counts; /* instead of a record of each */
};

/* Head of a record; the snapshot of the term, and of the trace id, follows. */
struct app_event {
	__u64 time_ns;
	__u64 id;   /* of the process */
	__u64 name; /* of it, as an id */
	__u64 what; /* name of the probe, as an id */
	__u64 span;
	__u64 parent;
	__u64 took_ns;
	__u64 trace; /* a term */
	__u32 os_id;
	__u32 probe;
	__u32 kind; /* enum app_kind */
	__u32 pad;
};

/* Firings that are counted under no name. */
enum app_account {
	APP_NAMELESS, /* the name was no atom */
	APP_ACCOUNTS,
};

#endif
