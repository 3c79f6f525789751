/* SPDX-License-Identifier: BSD-2-Clause */
/* migrate: contract between its BPF program and tools/migrate.c. */
#ifndef ERLBPF_BPF_MIGRATE_H
#define ERLBPF_BPF_MIGRATE_H

/* Counts per key: kinds of struct counter_key. The first two are also kinds of cases. */
enum migrate_kind {
	MIGRATE_SLICE, /* slices; the sum is of those that ended on another CPU */
	MIGRATE_CALL,  /* native calls; the same */
	MIGRATE_MOVED, /* slices on another scheduler than the process's last */
	MIGRATE_KINDS,
};

enum migrate_amount {
	MIGRATE_FROM, /* CPU */
	MIGRATE_TO,
};

#endif
