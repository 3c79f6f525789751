/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of Erlang processes, read from the VM's memory: the registered name; or else the label (OTP 27);
 * or else the function that the process started in, which for a process of proc_lib is that of its
 * behaviour's module. The VM is not stopped for it; what is read is checked afterwards to still belong
 * to the process, and what does not is no name.
 */
#ifndef ERLBPF_PROBE_NAMES_H
#define ERLBPF_PROBE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"
#include "target/target.h"

#define NAME_SIZE 320
#define NAME_LABEL_SIZE 64

/* Atoms are indices into the node's table, ATOM_NONE where there is none. */
struct name {
	uint32_t registered;
	uint32_t module, function;	/* of the first call */
	uint32_t arity;
	char *label;			/* owned; hostile; NULL: none */
};

/* What a copy of a struct process says of its name. */
struct name_fields {
	uint64_t registered, dictionary;	/* addresses, 0: none */
	uint64_t initial[3];			/* module, function, arity */
};

/* A process whose name is wanted. */
struct name_wish {
	uint64_t id, address;
	struct name_fields fields;
	struct name *name;		/* written only if is_known; its old label is freed */
	bool is_known;
};

struct names;

/* The target must outlive it. NULL and errno; ENOENT if this release's structures are not known. */
struct names *names_new(const struct target *target, const struct erl_pid_layout *pids);
void names_free(struct names *names);

/* From a copy of a struct process of at least `process.size` bytes. */
void name_fields_read(const struct names *names, const void *process, struct name_fields *fields);

/* The names of many processes with few system calls. */
void names_resolve(struct names *names, struct name_wish *wishes, size_t count);

void name_init(struct name *name);
void name_free(struct name *name);

/* As text that is hostile; atoms are in quotes where Erlang's syntax wants them. */
const char *names_format(struct names *names, const struct name *name, char text[NAME_SIZE]);

/* Its parts: "" where there is none. */
const char *names_registered(struct names *names, const struct name *name, char text[NAME_SIZE]);
const char *names_initial_call(struct names *names, const struct name *name, char text[NAME_SIZE]);

/* Have the atoms of these names at hand for names_format(). */
void names_prefetch(struct names *names, const struct name *const *wanted, size_t count);

/* The name of a local process. 0; -ESRCH if the process is gone. */
int names_of_process(struct names *names, uint64_t id, char text[NAME_SIZE]);

#endif
