/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What probes of the kernel have changed in a process: breakpoints in its text, and semaphores of notes that were
 * raised. It cannot be seen here whether a tracer that runs now holds them, or whether they were left behind;
 * trace/heal.h finds out.
 */
#ifndef ERLBPF_PROBE_SITES_LEFTOVERS_H
#define ERLBPF_PROBE_SITES_LEFTOVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/sites/note.h"
#include "target/target.h"
#include "target/text.h"

struct leftover_site {
	uint64_t address, offset; /* as the file has it, and in the file */
	uint64_t semaphore;	  /* of its note, in the file; 0: it has none */
	enum text_kind kind;
};

struct leftover_semaphore {
	uint64_t address, offset; /* as the file has it, and in the file */
	uint16_t rest, value;	  /* what it is without probes, and what it is */
	size_t sites;		  /* how many of its sites are changed: by so much the kernel has raised it */
	bool has_fixed;		  /* one of them must not be touched: a call, or torn */
};

struct leftovers {
	struct leftover_site *sites;
	size_t site_count;
	struct leftover_semaphore *semaphores; /* all, by offset */
	size_t semaphore_count;
	struct note_list notes; /* by site */
};

/* 0 or -errno: as of text_patches_read(), or -EINVAL if the file's semaphores cannot be read. Free it in any case. */
int leftovers_find(const struct target *target, struct leftovers *found);
void leftovers_free(struct leftovers *found);

/* How many of the sites are changed in this way. */
size_t leftovers_of_kind(const struct leftovers *found, enum text_kind kind);

/* How many semaphores are not what they are without probes. */
size_t leftovers_raised(const struct leftovers *found);

/*
 * Is the semaphore wrong whoever traces? It is raised and none of its sites is changed, or the other way round. The
 * kernel changes both or neither, unless it is interrupted.
 */
bool leftovers_is_wrong(const struct leftover_semaphore *semaphore);

/* The semaphore at that offset of the file; NULL: there is none. */
const struct leftover_semaphore *leftovers_semaphore(const struct leftovers *found, uint64_t offset);

/* Why the process could not be compared. */
const char *leftovers_error(int err);

#endif
