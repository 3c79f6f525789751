/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files with SDT notes, each read once for all processes that map it. Files are untrusted; their number and size are
 * limited.
 */
#ifndef ERLBPF_DTRACE_PROVIDER_NOTE_FILES_H
#define ERLBPF_DTRACE_PROVIDER_NOTE_FILES_H

#include <sys/types.h>

#include "dtrace/provider/usdt.h"
#include "probe/sites/note.h"
#include "target/mapped.h"

struct note_files;

struct note_file {
	uint64_t place[2]; /* device and inode, as in /proc/PID/maps */
	char *name;
	int fd; /* -1: no notes, or unreadable */
	struct image *image;
	struct mapped_object *functions;
	struct note_list notes;
	struct note_site *sites; /* one per note */
};

/* NULL: out of memory. */
struct note_files *note_files_new(void);
void note_files_free(struct note_files *files);

/*
 * The file that a process maps there; NULL if it has no usable notes. 0 or -errno: -ENOMEM, or -ETIMEDOUT from a
 * process that is skipped.
 */
int note_files_get(struct note_files *files, pid_t pid, const struct mapped_code *code, const struct note_file **file);

#endif
