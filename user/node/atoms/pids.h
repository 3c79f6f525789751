/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_NODE_ATOMS_PIDS_H
#define ERLBPF_NODE_ATOMS_PIDS_H

#include <stdbool.h>
#include <stdint.h>

#include "erl.h"
#include "target/target.h"

/*
 * How the terms of a node's pids become the pids it prints, read from its process table. 0, or
 * -ENOENT if the table is not exported or makes no sense (the layout is then zeroed, and terms of
 * pids are read as "none"), or -EFAULT.
 */
int pid_layout_read(const struct target *target, struct erl_pid_layout *layout);

/* The same as erl_id_of_term() and erl_state_of() of bpf/erl.bpf.h do: the pid that a term stands for (0:
 * none), and the place of a local pid in the process table. */
uint64_t pid_of_term(const struct erl_pid_layout *layout, uint64_t term);
uint64_t port_of_term(const struct erl_pid_layout *layout, uint64_t term);
uint64_t pid_place(const struct erl_pid_layout *layout, uint64_t id);

/* Where the structure of a local process is; 0: it is gone, or cannot be read. */
uint64_t pid_process(const struct target *target, const struct erl_pid_layout *layout, uint64_t id);

/* Is there no such process in the node now? Also false where that cannot be read. */
bool pid_is_nobody(const struct target *target, const struct erl_pid_layout *layout, uint64_t id);

/* State flags of a local process as they are now; 0: it is gone, or cannot be read. */
uint32_t pid_state(const struct target *target, const struct erl_pid_layout *layout, uint64_t id);

/* False while a VM that has just started has no process table yet. */
bool pid_layout_is_ready(const struct target *target);

/* The layout in a copy of the process table's first PID_TABLE_SIZE bytes. 0 or -ENOENT. */
#define PID_TABLE_SIZE 256
int pid_layout_of_table(const unsigned char *table, struct erl_pid_layout *layout);

#endif
