/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SDT notes: .note.stapsdt, written by <sys/sdt.h> of systemtap. erlbpf has its own reader because libbpf's refuses
 * `sym(%rip)` operands, and with them five probes of the VM.
 */
#ifndef ERLBPF_PROBE_SITES_NOTE_H
#define ERLBPF_PROBE_SITES_NOTE_H

#include <stddef.h>
#include <stdint.h>

#include "target/image/image.h"

struct note {
	const char *provider; /* owned by the image */
	const char *name;
	const char *args;
	uint64_t site;		   /* virtual address of the probe, without prelinking */
	uint64_t site_offset;	   /* the same in the file */
	uint64_t semaphore_offset; /* in the file, 0: none */
	uint64_t note_offset;	   /* of the note itself, in the file */
};

struct note_list {
	struct note *notes;
	size_t count;
};

/* Called for each refused note, which is invalid or dangerous to use. */
typedef void (*note_refused)(void *data, uint64_t note_offset, const char *why);

/*
 * All usable notes of a file. 0, also if there are none. -EINVAL if the section is broken, reported to `refused` with
 * an offset; other -errno: reading failed. Free the list with note_list_free().
 */
int note_list_read(const struct image *image, struct note_list *list, note_refused refused, void *data);
void note_list_free(struct note_list *list);

/*
 * Whether a file has SDT notes, by the names of its sections only. The file is hostile. 1, 0 (also if it is no ELF
 * file), or -errno of reader_bytes(), such as -ETIMEDOUT.
 */
int note_file_has_notes(int fd);

#endif
