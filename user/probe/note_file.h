/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of many files have SDT notes: a look at the names of their sections, which costs little. */
#ifndef ERLBPF_PROBE_NOTE_FILE_H
#define ERLBPF_PROBE_NOTE_FILE_H

/* The file is hostile. 1, 0 (also if it is no ELF file), or -ETIMEDOUT and the like of reader_bytes(). */
int note_file_has_notes(int fd);

#endif
