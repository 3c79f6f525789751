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

#define STORM_CANDIDATES 32

enum storm { STORM_TERMS, STORM_CODE, STORMS };

struct storms {
	unsigned int readings;
	uint64_t first_ns, last_ns;
	struct storm_server {
		uint64_t id; /* 0: it was not found */
		uint64_t first, last;
		unsigned int rises;
	} servers[STORMS];
	bool is_on;		      /* persistent terms were replaced between the last two readings */
	size_t candidate_count, next; /* next: the row from which on candidates are taken */
	struct {
		uint64_t id, address;
	} candidates[STORM_CANDIDATES];
	uint64_t updater; /* who was found suspended in it, 0: nobody */
	struct call_stack frames;
};

/* After each reading of the processes. */
void storms_read(struct storms *storms, struct processes *processes);

/* With each sample: is somebody suspended since it has replaced a term? */
void storms_look(struct storms *storms, struct processes *processes);

/* Into the signs: terms_storm, code_storm. */
void storms_finish(const struct storms *storms, struct processes *processes, const struct samples *samples,
		   struct signs *signs);

#endif
