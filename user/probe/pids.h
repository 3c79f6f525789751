/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_PROBE_PIDS_H
#define ERLBPF_PROBE_PIDS_H

#include "erl.h"
#include "target/target.h"

/*
 * How the terms of a node's pids become the pids it prints, read from its process table. 0, or
 * -ENOENT if the table is not exported or makes no sense (the layout is then zeroed, and terms of
 * pids are read as "none"), or -EFAULT.
 */
int pid_layout_read(const struct target *target, struct erl_pid_layout *layout);

/* False while a VM that has just started has no process table yet. */
bool pid_layout_is_ready(const struct target *target);

/* The layout in a copy of the process table's first PID_TABLE_SIZE bytes. 0 or -ENOENT. */
#define PID_TABLE_SIZE 256
int pid_layout_of_table(const unsigned char *table, struct erl_pid_layout *layout);

#endif
