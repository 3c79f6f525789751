/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What costs all processes something: persistent terms that are replaced, and modules that are. Two processes of the VM
 * then have each process look through what it refers to, and do nothing else.
 */
#ifndef ERLBPF_WHY_FIND_PURGES_H
#define ERLBPF_WHY_FIND_PURGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/processes/processes.h"
#include "why/schedulers/samples.h"
#include "why/source/signs.h"

#define PURGE_CANDIDATES 32

enum purge { PURGE_TERMS, PURGE_CODE, PURGES };

struct purges {
	unsigned int readings;
	uint64_t first_ns, last_ns;
	struct purge_server {
		uint64_t id; /* 0: it was not found */
		uint64_t first, last;
		unsigned int rises;
	} servers[PURGES];
	bool is_on;		      /* persistent terms were replaced between the last two readings */
	size_t candidate_count, next; /* next: the row from which on candidates are taken */
	struct {
		uint64_t id, address;
	} candidates[PURGE_CANDIDATES];
	uint64_t updater; /* who was found suspended in it, 0: nobody */
	struct call_stack frames;
};

/* After each reading of the processes. */
void purges_read(struct purges *storms, struct processes *processes);

/* With each sample: is somebody suspended since it has replaced a term? */
void purges_look(struct purges *storms, struct processes *processes);

/* Into the signs: terms_storm, code_storm. */
void purges_finish(const struct purges *storms, struct processes *processes, const struct samples *samples,
		   struct signs *signs);

#endif
