/* SPDX-License-Identifier: BSD-2-Clause */
/* ports: contract between its BPF program and tools/ports.c. */
#ifndef ERLBPF_BPF_PORTS_H
#define ERLBPF_BPF_PORTS_H

#include <linux/types.h>

#define PORTS_MAX 65536 /* that are known at a time; as many as a VM has by default (+Q) */

enum ports_kind {
	PORTS_OPEN,
	PORTS_COMMAND,
	PORTS_CLOSE, /* asked for with a message to the port */
	PORTS_CONTROL,
	PORTS_CONNECT,
	PORTS_EXIT,
	PORTS_BUSY,
	PORTS_NOT_BUSY, /* took as long as the port was busy */
	PORTS_KINDS,
};

/* Amounts of a case. */
enum ports_amount {
	PORTS_PORT,	 /* id of the port */
	PORTS_NEW_OWNER, /* id of the process that a port is connected to */
	PORTS_NUMBER,	 /* of a control operation */
};

enum ports_account {
	PORTS_STILL_BUSY, /* ports ended while they were busy */
	PORTS_ACCOUNTS,
};

#endif
