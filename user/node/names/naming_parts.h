/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of naming share. */
#ifndef ERLBPF_NODE_NAMES_NAMING_PARTS_H
#define ERLBPF_NODE_NAMES_NAMING_PARTS_H

#include "node/names/naming.h"

#define REG_PROCESS 2 /* words of RegProc */
#define REG_NAME 4
#define REG_WORDS 5

enum key { INITIAL_CALL, LABEL, ANCESTORS, CALLERS, KEYS };
enum atom { ERLANG = KEYS, APPLY, BEAMASM, ATOMS };

#define OWNERS_KNOWN 16 /* a power of two */

/* Who was asked for in this batch: many processes belong to the same one. */
struct known_owner {
	uint64_t id; /* 0: nobody */
	uint32_t registered;
};

struct naming {
	const struct target *target;
	const struct erl_pid_layout *pids;
	struct atoms *atoms;
	struct terms *terms;
	bool is_over;
	struct name_style style;
	uint32_t known[ATOMS]; /* found when they are first needed */
	bool has_known, has_callers;
	int64_t registered, dictionary, initial, size;	      /* of struct process */
	struct known_owner owner[OWNERS_KNOWN];		      /* by id */
	int64_t heap, heap_size, stop, current, code, parent; /* the same; -1: not of this release */
};

/*
 * The registered name of the first of a list of ancestors or callers that has one; and the pid of the very first, if it
 * is one and wanted.
 */
uint32_t naming_owner(struct naming *names, uint64_t list, uint64_t *first);

/* The same of one: a term, an atom or a pid. */
uint32_t naming_owner_of(struct naming *names, uint64_t term);

#endif
