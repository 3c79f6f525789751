/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of notes share: the notes of a file, and what was said of those refused. */
#ifndef ERLBPF_TESTS_NOTE_CHECK_H
#define ERLBPF_TESTS_NOTE_CHECK_H

#include "check.h"
#include "elf_builder.h"
#include "probe/sites/note.h"

struct notes_read {
	struct elf_opened o;
	struct note_list list;
	int err;
	size_t refused;
	uint64_t refused_offset; /* of the last one */
	const char *why;
	uint64_t section_offset, section_size;
};

void notes_read(const struct elf_made *file, struct notes_read *r);
void notes_free(struct notes_read *r);

/* The notes of a file with this one note: how many were taken, why the last was refused. */
void expect_note(const struct elf_note *note, const char *why);

/* Nothing was taken that is dangerous to use, nothing was refused without offset and reason. */
void expect_safe(const struct notes_read *r, const struct elf_made *file, bool has_known_section, const char *what,
		 size_t number);

#endif
