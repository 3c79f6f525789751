/* SPDX-License-Identifier: BSD-2-Clause */
/* tasks: contract between its BPF program and tools/tasks.c. */
#ifndef ERLBPF_BPF_TASKS_H
#define ERLBPF_BPF_TASKS_H

#define TASKS_QUEUED 65536 /* tasks that may wait at a time */

/* ErtsPortTaskType (erl_port_task.h). */
enum tasks_kind {
	TASKS_INPUT,
	TASKS_OUTPUT,
	TASKS_TIMEOUT,
	TASKS_DIST,
	TASKS_SIGNAL,
	TASKS_KINDS,
};

enum tasks_amount {
	TASKS_OWNER, /* id of the process that owns the port */
};

enum tasks_account {
	TASKS_ABORTED, /* given up before they ran: the port was closed, or the task not needed */
	TASKS_QUICK,   /* over before they were known */
	TASKS_ACCOUNTS,
};

#endif
