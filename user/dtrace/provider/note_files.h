/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files with SDT notes, each read once, whichever processes have mapped it. All of them are hostile; how many are kept,
 * and what each may cost, is limited.
 */
#ifndef ERLBPF_DTRACE_PROVIDER_NOTE_FILES_H
#define ERLBPF_DTRACE_PROVIDER_NOTE_FILES_H

#include <sys/types.h>

#include "dtrace/provider/usdt.h"
#include "probe/sites/note.h"
#include "target/mapped.h"

struct note_files;

struct note_file {
	uint64_t place[2]; /* device and inode, as the kernel lists them among what is mapped */
	char *name;
	int fd; /* -1: it has no notes, or they cannot be read */
	struct image *image;
	struct mapped_object *functions;
	struct note_list notes;
	struct note_site *sites; /* of the notes, one each */
};

/* NULL: memory is short. */
struct note_files *note_files_new(void);
void note_files_free(struct note_files *files);

/*
 * What the process has mapped there; NULL if it has no notes that can be used. 0 or -errno: -ENOMEM, or -ETIMEDOUT from
 * a process that is to be left alone.
 */
int note_files_get(struct note_files *files, pid_t pid, const struct mapped_code *code, const struct note_file **file);

#endif
