/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of Erlang processes, read from the VM's memory: the registered name; or else the label (OTP 27);
 * or else the function that the process started in, which for a process of proc_lib is that of its
 * behaviour's module, and for one that was spawned with a fun the oldest function on its stack. The VM is not stopped
 * for it; what is read is checked afterwards to still belong to the process, and what does not is no name.
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

/* Atoms are indices into the node's table, ATOM_NONE where there is none. */
struct name_call {
	uint32_t module, function, arity;
};

struct name {
	uint32_t registered;
	struct name_call initial;
	struct name_call on_stack; /* of a process that was spawned with a fun: the oldest function on its stack */
	uint32_t ancestor, caller; /* with_owner: registered names of the nearest ones that have one */
	uint64_t caller_id;	   /* with_owner: the nearest, a pid; 0: there is none */
	char *label;		   /* owned; hostile; NULL: none */
};

/* What a copy of a struct process says of its name. */
struct name_fields {
	uint64_t registered, dictionary; /* addresses, 0: none */
	uint64_t initial[3];		 /* module, function, arity */
	struct stack_place stack;	 /* zeroed: not known */
	uint64_t current, code;		 /* where it goes on: the address of an MFA or 0, and of code */
	uint64_t parent;		 /* a term; 0: not known */
};

/* A process whose name is wanted. */
struct name_request {
	uint64_t id, address;
	struct name_fields fields;
	struct name *name; /* written only if is_known; its old label is freed */
	bool with_owner;   /* also who it belongs to, which takes more steps */
	bool is_known;
};

struct naming;

/* The target must outlive it. NULL and errno; ENOENT if this release's structures are not known. */
struct naming *naming_new(const struct target *target, const struct erl_pid_layout *pids);
void naming_free(struct naming *names);

/* How its texts are written from now on. At first as Erlang writes them, without kin. */
void naming_set_style(struct naming *names, struct name_style style);

/* The process has ended: from now on, only what has been read is known. */
void naming_end(struct naming *names);

/* The node's terms as text; the naming's own. */
struct terms *naming_terms(const struct naming *names);

/* Read these atoms at once, as far as they are not known yet: naming_end() may come soon. */
void naming_fetch(struct naming *names, const uint32_t *atoms, size_t count);

/* Where the VM keeps what BPF programs read of names (bpf/name.bpf.h). */
void naming_layout(const struct naming *names, struct erl_name_layout *layout);

/* What is left out there, as it takes long to find: the atoms that names are made of. */
void naming_atoms(struct naming *names, struct erl_name_layout *layout);

/* The text of an id that is an atom, an MFA or an address of code (bpf/erl.h). False: it is none, or is unreadable. */
bool naming_of_id(struct naming *names, uint64_t id, char text[NAME_SIZE]);

/* From a copy of a struct process of at least `process.size` bytes. */
void name_fields_read(const struct naming *names, const void *process, struct name_fields *fields);

/* The names of many processes with few system calls. */
void naming_resolve(struct naming *names, struct name_request *requests, size_t count);

void name_init(struct name *name);
void name_free(struct name *name);

/* The id of the function that an id of an address of code is in, 0: it is none, or is unreadable. */
uint64_t naming_function_of(const struct naming *names, uint64_t id);

/* As text that is hostile; atoms are in quotes where Erlang's syntax wants them. */
const char *naming_format(struct naming *names, const struct name *name, char text[NAME_SIZE]);

/*
 * The same, for who reads it: if the style is with kin, one that has no name of its own comes with the ancestor and the
 * caller that have one: "worker:init/1 of pool", "shop:-start/1-fun-0-/0 of tasks for shop".
 */
const char *naming_describe(struct naming *names, const struct name *name, char text[NAME_SIZE]);

/* Its parts: "" where there is none. The initial call is what the VM says, the call what stands for it in a name. */
const char *naming_registered(struct naming *names, const struct name *name, char text[NAME_SIZE]);
const char *naming_initial_call(struct naming *names, const struct name *name, char text[NAME_SIZE]);
const char *naming_call(struct naming *names, const struct name *name, char text[NAME_SIZE]);

/* The name of a local process, with kin, into a name of name_init(). 0; -ESRCH if the process is gone. */
int naming_read_process(struct naming *names, uint64_t id, struct name *name);

/*
 * The same of many with few system calls. `name` of each is one of name_init(); is_known says which of them are there.
 * Only their ids need be set.
 */
void naming_read_processes(struct naming *names, struct name_request *requests, size_t count);

/* The same as text, described. 0; -ESRCH if the process is gone. */
int naming_of_process(struct naming *names, uint64_t id, char text[NAME_SIZE]);

#endif
