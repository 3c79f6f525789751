/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of Erlang processes, read from the VM's memory: the registered name, or else the function the
 * process was spawned with. The VM is not stopped for it; what is read is checked afterwards to still
 * belong to the process, and what does not is no name.
 */
#ifndef ERLBPF_PROBE_NAMES_H
#define ERLBPF_PROBE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "erl.h"
#include "target/target.h"

#define NAME_SIZE 320

/*
 * The name of a local process, as text that is hostile. 0; -ESRCH if the process is gone; -ENOENT if
 * this release's structures are not known.
 */
int name_of_process(const struct target *target, const struct erl_pid_layout *pids, uint64_t id,
		    char name[NAME_SIZE]);

/*
 * Where the VM keeps what the BPF programs read of names (bpf/name.bpf.h). 0; -ENOENT if this release's
 * structures are not known.
 */
int name_layout_read(const struct target *target, struct erl_name_layout *layout);

/* The term of the atom with that text. 0, or -ENOENT if the VM has none (yet). */
int name_find_atom(const struct target *target, const char *text, uint64_t *term);

/* The text of an id that is an atom, an MFA or an address of code (bpf/erl.h). 0 or -errno. */
int name_of_id(const struct target *target, uint64_t id, char name[NAME_SIZE]);

/* The text of an atom, in quotes where Erlang's syntax wants them. 0 or -errno. */
int name_of_atom(const struct target *target, uint64_t term, char *text, size_t size);

#endif
