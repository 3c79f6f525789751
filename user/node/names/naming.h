/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of Erlang processes, from the VM's memory: the registered name; otherwise the label (OTP 27); otherwise the
 * function in which the process started: for a process of proc_lib that of its behaviour's module, for one spawned with
 * a fun the oldest function on its stack. The VM is not stopped; a check afterwards shows whether the data still
 * belongs to the process, and otherwise it has no name.
 */
#ifndef ERLBPF_NODE_NAMES_NAMING_H
#define ERLBPF_NODE_NAMES_NAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"
#include "node/atoms/spelling.h"
#include "node/code/stack.h"
#include "target/target.h"

#define NAME_SIZE 320
#define NAME_LABEL_SIZE 64

/* Atoms are indexes into the node's table, ATOM_NONE if there is none. */
struct name_call {
	uint32_t module, function, arity;
};

struct name {
	uint32_t registered;
	struct name_call initial;
	struct name_call on_stack; /* of a process spawned with a fun: the oldest function on its stack */
	uint32_t ancestor, caller; /* with_owner: registered name of the nearest registered ancestor and caller */
	uint64_t caller_id;	   /* with_owner: pid of the nearest caller; 0: none */
	char *label;		   /* owned, hostile, or NULL */
};

/* The fields of a struct process that its name depends on. */
struct name_fields {
	uint64_t registered, dictionary; /* addresses, or 0 */
	uint64_t initial[3];		 /* module, function, arity */
	struct stack_place stack;	 /* zeroed: unknown */
	uint64_t current, code;		 /* where it continues: the address of an MFA or 0, and a code address */
	uint64_t parent;		 /* a term; 0: unknown */
};

/* A request for the name of a process. */
struct name_request {
	uint64_t id, address;
	struct name_fields fields;
	struct name *name; /* written only if is_known; the old label is freed */
	bool with_owner;   /* also finds its ancestor and caller, in more steps */
	bool is_known;
};

struct naming;

/* The target must outlive it. NULL and errno; ENOENT if the release's structures are unknown. */
struct naming *naming_new(const struct target *target, const struct erl_pid_layout *pids);
void naming_free(struct naming *names);

/* Sets the style of texts. The default is Erlang syntax, without related processes. */
void naming_set_style(struct naming *names, struct name_style style);

/* Call it when the process has ended: only cached atoms are known from then on. */
void naming_end(struct naming *names);

/* Formats terms of the node; owned by `names`. */
struct terms *naming_terms(const struct naming *names);

/* Reads these atoms unless cached, before a possible naming_end(). */
void naming_fetch(struct naming *names, const uint32_t *atoms, size_t count);

/* The offsets that BPF programs need to read names (bpf/name.bpf.h), except the atoms. */
void naming_layout(const struct naming *names, struct erl_name_layout *layout);

/* Adds the atoms, which take long to find. */
void naming_atoms(struct naming *names, struct erl_name_layout *layout);

/* The text of an id that is an atom, an MFA or a code address (bpf/erl.h). False: another kind, or unreadable. */
bool naming_of_id(struct naming *names, uint64_t id, char text[NAME_SIZE]);

/* From a copy of a struct process with at least `process.size` bytes. */
void name_fields_read(const struct naming *names, const void *process, struct name_fields *fields);

/* Reads the names of many processes with few system calls. */
void naming_resolve(struct naming *names, struct name_request *requests, size_t count);

void name_init(struct name *name);
void name_free(struct name *name);

/* The id of the function that contains an id that is a code address; 0: none, or unreadable. */
uint64_t naming_function_of(const struct naming *names, uint64_t id);

/* The name as hostile text; atoms are quoted where Erlang needs it. */
const char *naming_format(struct naming *names, const struct name *name, char text[NAME_SIZE]);

/*
 * Same; if the style has with_owner, a process without its own name is followed by its nearest registered ancestor and
 * caller: "worker:init/1 of pool", "shop:-start/1-fun-0-/0 of tasks for shop".
 */
const char *naming_describe(struct naming *names, const struct name *name, char text[NAME_SIZE]);

/* The parts of a name, "" if missing. The initial call is the VM's; the call is the one shown in the name. */
const char *naming_registered(struct naming *names, const struct name *name, char text[NAME_SIZE]);
const char *naming_initial_call(struct naming *names, const struct name *name, char text[NAME_SIZE]);
const char *naming_call(struct naming *names, const struct name *name, char text[NAME_SIZE]);

/* Reads the name of a local process, with owner, into a name of name_init(). 0; -ESRCH if the process ended. */
int naming_read_process(struct naming *names, uint64_t id, struct name *name);

/*
 * Same for many, with few system calls. `name` of each is from name_init(); is_known tells which exist. Only the ids
 * need to be set.
 */
void naming_read_processes(struct naming *names, struct name_request *requests, size_t count);

/* Same, as described text. 0; -ESRCH if the process ended. */
int naming_of_process(struct naming *names, uint64_t id, char text[NAME_SIZE]);

#endif
