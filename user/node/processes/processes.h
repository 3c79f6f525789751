/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All processes of a node, from its memory, without probes: the process table and the fields of each process. The node
 * is neither stopped nor slowed; data of a process that ended meanwhile is dropped.
 */
#ifndef ERLBPF_NODE_PROCESSES_PROCESSES_H
#define ERLBPF_NODE_PROCESSES_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/names/naming.h"

#define PROCESSES_MAX (1u << 21) /* further ones are only counted */

struct process {
	uint64_t id; /* 0: no process */
	uint64_t address;
	uint64_t reds;		      /* as process_info gives it for a waiting process */
	uint64_t reds_before;	      /* at the previous reading, like the others */
	uint64_t heap;		      /* bytes: both generations, and fragments */
	uint64_t binaries;	      /* bytes of binaries outside the heap, counted once per reference */
	uint64_t parent;	      /* 0: none, or unknown */
	uint64_t monitors, timers;    /* roots of trees (trees.h): monitors that it created, timers for it; 0: none */
	uint64_t queue, queue_before; /* messages */
	uint64_t registered, dictionary; /* addresses from which the name was made */
	struct name name;
	uint32_t state, locks;
	uint32_t slot;	  /* in the process table */
	uint32_t reading; /* number of the last reading that saw it */
	uint32_t naming;  /* reading in which its name was read, 0: not yet, or it may have changed */
};

struct processes;

/* The target and the layout must outlive it. NULL and errno; ENOENT if the release is unknown. */
struct processes *processes_new(const struct target *target, const struct erl_pid_layout *pids,
				struct name_style style);
void processes_free(struct processes *processes);

/* Reads the whole table, without names. 0 or -errno. */
int processes_read(struct processes *processes);

/* The number of rows. A process keeps its row while it lives; some rows have no process. */
size_t processes_rows(const struct processes *processes);
bool processes_has(const struct processes *processes, size_t row);
struct process *processes_row(struct processes *processes, size_t row);

size_t processes_row_of(const struct processes *processes, const struct process *process);

size_t processes_live(const struct processes *processes);
size_t processes_dropped(const struct processes *processes); /* processes beyond the limit */

/* The row of a process at the last reading, or NULL. */
struct process *processes_find(struct processes *processes, uint64_t id);

/* The current state of a process, with the fields for its name and stack. id 0: no process. */
struct process_look {
	struct process process;
	struct name_fields fields;
};

/* Reads process structures at these addresses, which come from another source than the table: schedulers. */
void processes_look(struct processes *processes, const uint64_t *addresses, struct process_look *looks, size_t count);

const struct target *processes_target(const struct processes *processes);

/* The local process of a term, or 0. */
uint64_t processes_id_of_term(const struct processes *processes, uint64_t term);

/* For texts of ids; owned by `processes`. */
struct naming *processes_naming(const struct processes *processes);

/* Reads the name of a process again before it is shown. */
void processes_refresh_name(struct processes *processes, struct process *process);

/*
 * Reads all unknown names, for sorting, filtering or grouping by name. The first time takes several times as long as a
 * reading. Owners are not read.
 */
void processes_read_names(struct processes *processes);

/* Texts, hostile: see naming.h. A description includes the owner if the name was refreshed. */
const char *process_name(struct processes *processes, const struct process *process, char text[NAME_SIZE]);
const char *process_description(struct processes *processes, const struct process *process, char text[NAME_SIZE]);
const char *process_call(struct processes *processes, const struct process *process, char text[NAME_SIZE]);
const char *process_initial_call(struct processes *processes, const struct process *process, char text[NAME_SIZE]);
const char *process_registered(struct processes *processes, const struct process *process, char text[NAME_SIZE]);

/* Its scheduling priority. */
enum process_priority { PRIORITY_MAX, PRIORITY_HIGH, PRIORITY_NORMAL, PRIORITY_LOW };
enum process_priority process_priority(const struct process *process);

bool process_is_collecting(const struct process *process);

/*
 * Is it running and scanning its mailbox? Rarely seen: for a process that wakes up for a message, in one of some
 * hundred readings.
 */
bool process_is_seeking(const struct process *process);

/* "running", "runnable", "waiting", ..., as in process_info. */
const char *process_status(const struct process *process);

#endif
