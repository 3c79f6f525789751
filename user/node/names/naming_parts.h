/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by naming.c, naming_owner.c and naming_text.c. */
#ifndef ERLBPF_NODE_NAMES_NAMING_PARTS_H
#define ERLBPF_NODE_NAMES_NAMING_PARTS_H

#include "node/names/naming.h"

#define REG_PROCESS 2 /* words of RegProc */
#define REG_NAME 4
#define REG_WORDS 5

enum key { INITIAL_CALL, LABEL, ANCESTORS, CALLERS, KEYS };
enum atom { ERLANG = KEYS, APPLY, BEAMASM, ATOMS };

#define OWNERS_KNOWN 16 /* a power of two */

/* Owners found in this batch: many processes have the same one. */
struct known_owner {
	uint64_t id; /* 0: free */
	uint32_t registered;
};

struct naming {
	const struct target *target;
	const struct erl_pid_layout *pids;
	struct atoms *atoms;
	struct terms *terms;
	bool is_over;
	struct name_style style;
	uint32_t known[ATOMS]; /* searched on first use */
	bool has_known, has_callers;
	int64_t registered, dictionary, initial, size;	      /* offsets in struct process */
	struct known_owner owner[OWNERS_KNOWN];		      /* by id */
	int64_t heap, heap_size, stop, current, code, parent; /* same; -1: missing in this release */
};

/*
 * The name of the first registered process in a list of ancestors or callers; and the pid of the first entry, if it is
 * a pid and wanted.
 */
uint32_t naming_owner(struct naming *names, uint64_t list, uint64_t *first);

/* Same for one entry: a term, an atom or a pid. */
uint32_t naming_owner_of(struct naming *names, uint64_t term);

#endif
