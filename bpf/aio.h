/* SPDX-License-Identifier: BSD-2-Clause */
/* aio: contract between its BPF program and tools/aio.c. */
#ifndef ERLBPF_BPF_AIO_H
#define ERLBPF_BPF_AIO_H

#include <linux/types.h>

#define AIO_JOBS 65536 /* that may be in the queues at a time */
#define AIO_PORTS 65536
#define AIO_NODES 256 /* traced VMs */

/* Beside those of enum operation_amount: how long the queue was when the job was put into it. */
#define AIO_QUEUE 2

enum aio_account {
	AIO_QUEUED,
	AIO_READY,
	AIO_DROPPED, /* their port was gone before they were done */
	AIO_ACCOUNTS,
};

#endif
