/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds changes that kernel probes made in a process: breakpoints in its code, and raised semaphores. They may belong
 * to a running tracer or be left behind; trace/heal.h decides.
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
	uint64_t address, offset; /* address in the file's layout, offset in the file */
	uint64_t semaphore;	  /* offset of the note's semaphore in the file; 0: none */
	enum text_kind kind;
};

struct leftover_semaphore {
	uint64_t address, offset; /* address in the file's layout, offset in the file */
	uint16_t rest, value;	  /* value without probes, current value */
	size_t sites;		  /* the number of its changed sites, by which the kernel has raised it */
	bool has_fixed;		  /* one of its sites must not be touched: a call, or partly written */
};

struct leftovers {
	struct leftover_site *sites;
	size_t site_count;
	struct leftover_semaphore *semaphores; /* all, by offset */
	size_t semaphore_count;
	struct note_list notes; /* by site */
};

/* 0 or -errno: as text_patches_read(), or -EINVAL if the semaphores cannot be read. Always free the result. */
int leftovers_find(const struct target *target, struct leftovers *found);
void leftovers_free(struct leftovers *found);

/* The number of sites with this kind of change. */
size_t leftovers_of_kind(const struct leftovers *found, enum text_kind kind);

/* The number of semaphores that differ from their value without probes. */
size_t leftovers_raised(const struct leftovers *found);

/*
 * Is the semaphore wrong even if a tracer is running? It is raised and none of its sites is changed, or the reverse.
 * The kernel changes both or neither, unless it is interrupted.
 */
bool leftovers_is_wrong(const struct leftover_semaphore *semaphore);

/* The semaphore at that file offset, or NULL. */
const struct leftover_semaphore *leftovers_semaphore(const struct leftovers *found, uint64_t offset);

/* The error of leftovers_find() as text. */
const char *leftovers_error(int err);

#endif
