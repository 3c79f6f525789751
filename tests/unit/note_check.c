// SPDX-License-Identifier: BSD-2-Clause
#include "note_check.h"

#include <string.h>
#include <unistd.h>

#include "probe/operand.h"

static void refuse(void *data, uint64_t note_offset, const char *why)
{
	struct notes_read *r = data;

	r->refused++;
	r->refused_offset = note_offset;
	r->why = why;
	if (!why || !*why)
		cr_fail("a note at %llu is refused without a reason", (unsigned long long)note_offset);
	if (r->section_size && (note_offset < r->section_offset || note_offset >= r->section_offset + r->section_size))
		cr_fail("refused at %llu, which is not in the section: %s", (unsigned long long)note_offset, why);
}

void notes_read(const struct elf_made *file, struct notes_read *r)
{
	struct image_section section = {};

	memset(r, 0, sizeof(*r));
	elf_open(file->bytes, file->size, &r->o);
	if (r->o.err)
		return;
	if (!image_section(r->o.image, ".note.stapsdt", SIZE_MAX, &section)) {
		r->section_offset = section.offset;
		r->section_size = section.size;
	}
	r->err = note_list_read(r->o.image, &r->list, refuse, r);
}

void notes_free(struct notes_read *r)
{
	note_list_free(&r->list);
	elf_close(&r->o);
}

void expect_note(const struct elf_note *note, const char *why)
{
	struct elf_spec spec = { .notes = note, .note_count = 1 };
	struct elf_made file;
	struct notes_read r;

	elf_build(&spec, &file);
	notes_read(&file, &r);
	cr_expect(eq(int, r.err, 0));
	cr_expect(eq(sz, r.list.count, why ? 0 : 1), "%s", why ? why : r.why);
	expect_text(r.why, why);
	notes_free(&r);
	elf_free(&file);
}

static bool holds_nop(const struct elf_made *file, uint64_t offset)
{
	static const unsigned char arm_nop[] = { 0x1f, 0x20, 0x03, 0xd5 };
	const unsigned char *code = file->bytes + offset;
	size_t left = offset < file->size ? file->size - offset : 0;

	return (left >= 1 && code[0] == 0x90) || (left >= 4 && !memcmp(code, arm_nop, 4));
}

static int no_symbol(void *data, const char *name, int64_t *value)
{
	(void)data;
	(void)name;
	(void)value;
	return -1;
}

void expect_safe(const struct notes_read *r, const struct elf_made *file, bool has_known_section, const char *what,
		 size_t number)
{
	struct operand_context context = { .resolve = no_symbol };
	struct erl_operand ops[ERL_MAX_ARGS];

	if (r->err && !r->refused && has_known_section)
		cr_fail("%s %zu: an error without a reason", what, number);
	for (size_t i = 0; i < r->list.count; i++) {
		const struct note *note = &r->list.notes[i];
		const char *why;

		if (!holds_nop(file, note->site_offset))
			cr_fail("%s %zu: there is no nop at the site of note %zu", what, number, i);
		if (note->semaphore_offset && note->semaphore_offset + 2 > file->size)
			cr_fail("%s %zu: the semaphore of note %zu is not in the file", what, number, i);
		if (!*note->provider || !*note->name || strlen(note->args) > file->size)
			cr_fail("%s %zu: note %zu has no strings", what, number, i);
		operand_parse_all(&context, note->args, ops, &why);
	}
}
