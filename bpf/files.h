/* SPDX-License-Identifier: BSD-2-Clause */
/* files: contract between its BPF program and tools/files.c. */
#ifndef ERLBPF_BPF_FILES_H
#define ERLBPF_BPF_FILES_H

#include <linux/types.h>

#define FILES_OPEN 65536    /* that are known at a time */
#define FILES_WAITING 65536 /* processes that may wait at a time */

enum files_kind {
	FILES_OPERATION,
	FILES_WAIT, /* of a process for a dirty I/O scheduler */
	FILES_KINDS,
};

/* Beside those of enum operation_amount: how many waited in the queue then. */
#define FILES_QUEUE 2

enum files_account {
	FILES_JOBS, /* NIFs that dirty I/O schedulers ran */
	FILES_ACCOUNTS,
};

#endif
