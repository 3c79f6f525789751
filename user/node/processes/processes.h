/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All processes of a node, read from its memory without a probe: its process table, and of every process
 * what its structure says. The node is neither stopped nor slowed; what was read of a process that ended
 * meanwhile is dropped.
 */
#ifndef ERLBPF_NODE_PROCESSES_PROCESSES_H
#define ERLBPF_NODE_PROCESSES_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/names/naming.h"

#define PROCESSES_MAX (1u << 21) /* what does not fit is counted */

struct process {
	uint64_t id; /* 0: no process */
	uint64_t address;
	uint64_t reds;			 /* as process_info says of one that waits */
	uint64_t reds_before;		 /* at the reading before, like the others */
	uint64_t heap;			 /* bytes: both generations, and fragments */
	uint64_t binaries;		 /* bytes outside of the heap that it refers to, each as often as it does */
	uint64_t parent;		 /* 0: none, or not known */
	uint64_t monitors, timers;	 /* trees (trees.h): of monitors that it has made, of timers for it; 0: none */
	uint64_t queue, queue_before;	 /* messages */
	uint64_t registered, dictionary; /* addresses that the name was made of */
	struct name name;
	uint32_t state, locks;
	uint32_t slot;	  /* in the process table */
	uint32_t reading; /* the last one in which it was seen */
	uint32_t naming;  /* the reading in which its name was read, 0: not yet, or it may be another one */
};

struct processes;

/* The target and the layout must outlive it. NULL and errno; ENOENT if this release is not known. */
struct processes *processes_new(const struct target *target, const struct erl_pid_layout *pids,
				struct name_style style);
void processes_free(struct processes *processes);

/* Read the whole table, without names. 0 or -errno. */
int processes_read(struct processes *processes);

/* Rows; a process keeps its row as long as it lives, and not all are of one that does. */
size_t processes_rows(const struct processes *processes);
bool processes_has(const struct processes *processes, size_t row);
struct process *processes_row(struct processes *processes, size_t row);

size_t processes_row_of(const struct processes *processes, const struct process *process);

size_t processes_live(const struct processes *processes);
size_t processes_dropped(const struct processes *processes); /* for which there was no room */

/* The row of a process as of the last reading, NULL if it has none. */
struct process *processes_find(struct processes *processes, uint64_t id);

/* A process as it is now, with what its name and its stack are read of. Its id is 0 if there is none. */
struct process_look {
	struct process process;
	struct name_fields fields;
};

/* Of some structures of processes, which are where something else than the table says: schedulers. */
void processes_look(struct processes *processes, const uint64_t *addresses, struct process_look *looks, size_t count);

/* Whose they are. */
const struct target *processes_target(const struct processes *processes);

/* The local process that a term stands for, 0: it is none. */
uint64_t processes_id_of_term(const struct processes *processes, uint64_t term);

/* For texts of ids; the processes' own. */
struct naming *processes_naming(const struct processes *processes);

/* Read the name again: at once, for processes that are about to be shown. */
void processes_refresh_name(struct processes *processes, struct process *process);

/*
 * The names of all that are not known yet: for who sorts, filters or groups by them. At first that takes several times
 * as long as a reading. No kin is read.
 */
void processes_read_names(struct processes *processes);

/* Texts, hostile: see naming.h. A description has its kin if the name was read again. */
const char *process_name(struct processes *processes, const struct process *process, char text[NAME_SIZE]);
const char *process_description(struct processes *processes, const struct process *process, char text[NAME_SIZE]);
const char *process_call(struct processes *processes, const struct process *process, char text[NAME_SIZE]);
const char *process_initial_call(struct processes *processes, const struct process *process, char text[NAME_SIZE]);
const char *process_registered(struct processes *processes, const struct process *process, char text[NAME_SIZE]);

/* What it is scheduled with. */
enum process_priority { PRIORITY_MAX, PRIORITY_HIGH, PRIORITY_NORMAL, PRIORITY_LOW };
enum process_priority process_priority(const struct process *process);

bool process_is_collecting(const struct process *process);

/* Does it run, and look into its mailbox? Seldom: of what wakes up for a message, one in some hundred looks finds that.
 */
bool process_is_seeking(const struct process *process);

/* "running", "runnable", "waiting", ..., as process_info says. */
const char *process_status(const struct process *process);

#endif
