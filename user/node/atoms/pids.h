/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_NODE_ATOMS_PIDS_H
#define ERLBPF_NODE_ATOMS_PIDS_H

#include <stdbool.h>
#include <stdint.h>

#include "erl.h"
#include "target/target.h"

/*
 * The conversion of a node's pid terms to the pids that it prints, from its process table. 0; -ENOENT if the table is
 * not exported or inconsistent: the layout is zeroed, and pid terms convert to 0; or -EFAULT.
 */
int pid_layout_read(const struct target *target, struct erl_pid_layout *layout);

/*
 * Same as erl_id_of_term() and erl_state_of() in bpf/erl.bpf.h: the pid of a term (0: none), and the index of a local
 * pid in the process table.
 */
uint64_t pid_of_term(const struct erl_pid_layout *layout, uint64_t term);
uint64_t port_of_term(const struct erl_pid_layout *layout, uint64_t term);
uint64_t pid_place(const struct erl_pid_layout *layout, uint64_t id);

/* The address of the structure of a local process; 0: ended, or unreadable. */
uint64_t pid_process(const struct target *target, const struct erl_pid_layout *layout, uint64_t id);

/* Does no such process exist now? False if that is unknown. */
bool pid_has_ended(const struct target *target, const struct erl_pid_layout *layout, uint64_t id);

/* The current state flags of a local process; 0: ended, or unreadable. */
uint32_t pid_state(const struct target *target, const struct erl_pid_layout *layout, uint64_t id);

/* False while a new VM has no process table yet. */
bool pid_layout_is_ready(const struct target *target);

/* The layout from a copy of the first PID_TABLE_SIZE bytes of the process table. 0 or -ENOENT. */
#define PID_TABLE_SIZE 256
int pid_layout_of_table(const unsigned char *table, struct erl_pid_layout *layout);

#endif
