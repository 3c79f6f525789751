// SPDX-License-Identifier: BSD-2-Clause
/* Sections of notes that are cut, overlong, flipped, forged: no crash, and each refusal is told. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "note_check.h"

static const struct elf_symbol functions[] = { { .name = "apple", .address = ELF_CODE } };
static const struct elf_note good[] = {
	{ "erlang", "message__send", "8@%rsi 8@%r8", ELF_NOP, ELF_PROBES, 0 },
	{ "erlang", "process__exit", "8@sym(%rip)", ELF_NOP_NOP5, ELF_PROBES + 2, 0 },
	{ "erlang", "port__open", "-4@-20(%rbp,%rax,8) 8@$-1", ELF_NOP_LATE, 0, 0 },
};

static const struct elf_spec spec = {
	.notes = good,
	.note_count = COUNT(good),
	.dynamic = functions,
	.dynamic_count = COUNT(functions),
};

/* A note of raw bytes: header, owner, content. */
static size_t make_raw(unsigned char *out, uint32_t owner_size, uint32_t content_size, uint32_t type, const char *owner,
		       const void *content, size_t size)
{
	const uint32_t header[] = { owner_size, content_size, type };

	memset(out, 0, 12 + 8 + size);
	memcpy(out, header, sizeof(header));
	memcpy(out + 12, owner, strlen(owner));
	memcpy(out + 20, content, size);
	return 12 + 8 + size;
}

/* Read a section of these bytes alone. */
static void expect_raw(const void *bytes, size_t size, int err, size_t taken, const char *why)
{
	struct elf_spec raw = { .raw_notes = bytes, .raw_size = size };
	struct elf_made file;
	struct notes_read r;

	elf_build(&raw, &file);
	notes_read(&file, &r);
	cr_expect(eq(int, r.err, err), "%s", why);
	cr_expect(eq(sz, r.list.count, taken), "%s", why);
	expect_text(r.why, why);
	notes_free(&r);
	elf_free(&file);
}

struct content {
	uint64_t site, base, semaphore;
	char strings[40];
};

static const struct {
	const char *strings;
	size_t size;
	const char *why;
} strings[] = {
	{ "p\0n\0a", 6, NULL },
	{ "p\0n\0", 5, NULL },
	{ "p\0n\0a\0rest", 11, NULL },
	{ "p\0n\0a", 5, "its strings are invalid" },
	{ "p\0n", 4, "its strings are invalid" },
	{ "p\0n", 3, "its strings are invalid" },
	{ "pppp", 4, "its strings are invalid" },
	{ "\0n\0a", 5, "its strings are invalid" },
	{ "p\0\0a", 5, "its strings are invalid" },
	{ "\0\0", 3, "its strings are invalid" },
	{ "p\0", 2, "it is too short" },
	{ "", 0, "it is too short" },
};

Test(note_hostile, the_strings_of_a_note_must_end_inside_of_it)
{
	for (size_t i = 0; i < COUNT(strings); i++) {
		struct content content = { ELF_NOP, ELF_BASE, 0, "" };
		unsigned char note[128];
		size_t size;

		/* What is behind the note would end any string. */
		memcpy(content.strings, strings[i].strings, strings[i].size);
		size = make_raw(note, 8, (uint32_t)(24 + strings[i].size), 3, "stapsdt", &content, sizeof(content));
		size = 20 + ((24 + strings[i].size + 3) & ~(size_t)3);
		expect_raw(note, size, 0, strings[i].why ? 0 : 1, strings[i].why);
	}
}

static const struct {
	const char *what;
	uint32_t owner_size, type;
	const char *owner;
} foreign[] = {
	{ "another type", 8, 1, "stapsdt" },	     { "type 0", 8, 0, "stapsdt" },
	{ "another owner", 8, 3, "systemd" },	     { "a shorter owner", 4, 3, "GNU" },
	{ "an owner without end", 7, 3, "stapsdt" },
};

Test(note_hostile, notes_of_others_are_passed_over_in_silence)
{
	for (size_t i = 0; i < COUNT(foreign); i++) {
		struct content content = { ELF_NOP, ELF_BASE, 0, "p\0n\0a" };
		unsigned char notes[512];
		size_t size = make_raw(notes, foreign[i].owner_size, sizeof(content), foreign[i].type, foreign[i].owner,
				       &content, sizeof(content));

		if (foreign[i].owner_size == 4) {
			memmove(notes + 16, notes + 20, size - 20);
			size -= 4;
		}
		size += elf_make_note(&good[0], notes + size);
		expect_raw(notes, size, 0, 1, NULL);
	}
}

static const struct {
	uint32_t owner_size, content_size;
} huge[] = {
	{ 0xffffffff, 64 },
	{ 8, 0xffffffff },
	{ 0xffffffff, 0xffffffff },
	{ 0xfffffffc, 0xfffffffc },
	{ 0x80000000, 0x80000000 },
	{ 8, 0x7fffffff },
	{ 1000, 64 },
	{ 8, 1000 },
	{ 60, 60 },
};

Test(note_hostile, a_note_larger_than_its_section_breaks_the_section)
{
	for (size_t i = 0; i < COUNT(huge); i++) {
		struct content content = { ELF_NOP, ELF_BASE, 0, "p\0n\0a" };
		unsigned char note[128];
		size_t size = make_raw(note, huge[i].owner_size, huge[i].content_size, 3, "stapsdt", &content,
				       sizeof(content));

		expect_raw(note, size, -EINVAL, 0, "a note is larger than its section");
	}
}

Test(note_hostile, the_last_note_may_not_be_cut_in_its_header)
{
	unsigned char notes[512];
	size_t size = elf_make_note(&good[0], notes);

	memcpy(notes + size, notes, 12);
	for (size_t more = 1; more < 12; more++)
		expect_raw(notes, size + more, -EINVAL, 0, "the last note is truncated");
}

Test(note_hostile, the_padding_of_the_last_note_may_be_missing)
{
	static const struct elf_note odd = { "p", "n", "", ELF_NOP, 0, 0 };
	unsigned char note[128];
	size_t size = elf_make_note(&odd, note);

	cr_assert(eq(sz, size, 52));
	expect_raw(note, 49, 0, 1, NULL);
}

Test(note_hostile, too_many_notes_break_the_section)
{
	static const struct elf_note small = { "p", "n", "", ELF_NOP, 0, 0 };
	unsigned char note[128], *notes;
	size_t size = elf_make_note(&small, note), most = 65536;

	notes = malloc((most + 1) * size);
	for (size_t i = 0; i <= most; i++)
		memcpy(notes + i * size, note, size);
	expect_raw(notes, most * size, 0, most, NULL);
	expect_raw(notes, (most + 1) * size, -EINVAL, 0, "there are too many notes");
	/* Refused ones are notes, too. */
	for (size_t i = 0; i <= most; i++)
		memset(notes + i * size + 20, 0xff, 8);
	expect_raw(notes, (most + 1) * size, -EINVAL, 0, "there are too many notes");
	free(notes);
}

static void expect_section(uint32_t type, uint64_t offset, uint64_t size, int err, const char *why)
{
	struct elf_made file;
	struct notes_read r;
	Elf64_Shdr *section;

	elf_build(&spec, &file);
	section = elf_section(&file, ".note.stapsdt");
	section->sh_type = type;
	section->sh_offset = offset ? offset : section->sh_offset;
	section->sh_size = size;
	notes_read(&file, &r);
	cr_expect(eq(int, r.err, err), "%s", why);
	cr_expect(eq(sz, r.list.count, 0), "%s", why);
	expect_text(r.why, why);
	notes_free(&r);
	elf_free(&file);
}

Test(note_hostile, a_section_that_is_not_in_the_file_is_broken)
{
	static const char why[] = "the section of the notes is not in the file";
	static const char too_large[] = "the section of the notes is too large";

	expect_section(SHT_NOTE, 0, 1 << 20, -EINVAL, why);
	expect_section(SHT_NOTE, 1 << 20, 64, -EINVAL, why);
	expect_section(SHT_NOTE, UINT64_MAX - 15, 64, -EINVAL, why);
	expect_section(SHT_NOTE, 0, (64 << 20) + 1, -EINVAL, too_large);
	expect_section(SHT_NOTE, 0, UINT64_MAX, -EINVAL, too_large);
}

Test(note_hostile, an_empty_section_has_no_notes)
{
	expect_section(SHT_NOTE, 0, 0, 0, NULL);
	expect_section(SHT_NOBITS, 0, 4096, 0, NULL);
}

Test(note_hostile, one_bad_note_does_not_take_the_others_with_it)
{
	struct elf_note notes[] = { good[0], good[1], good[2] };
	struct elf_spec one_bad = { .notes = notes, .note_count = COUNT(notes) };
	struct elf_made file;
	struct notes_read r;

	notes[1].site = ELF_MOV;
	elf_build(&one_bad, &file);
	notes_read(&file, &r);
	cr_expect(eq(int, r.err, 0));
	cr_assert(eq(sz, r.list.count, 2));
	expect_text(r.list.notes[0].name, "message__send");
	expect_text(r.list.notes[1].name, "port__open");
	cr_expect(eq(sz, r.refused, 1));
	cr_expect(gt(u64, r.refused_offset, r.list.notes[0].note_offset));
	cr_expect(lt(u64, r.refused_offset, r.list.notes[1].note_offset));
	notes_free(&r);
	elf_free(&file);
}

Test(note_hostile, a_file_cut_short_anywhere_is_safe)
{
	struct elf_made file, cut;

	elf_build(&spec, &file);
	cut = file;
	for (cut.size = 0; cut.size < file.size; cut.size += 64) {
		struct notes_read r;

		notes_read(&cut, &r);
		expect_safe(&r, &cut, false, "cut at", cut.size);
		notes_free(&r);
	}
	elf_free(&file);
}

/* Spoil one byte in three ways. */
static void expect_safe_flips(struct elf_made *file, size_t at, bool in_section)
{
	const unsigned char was = file->bytes[at], flips[] = { 0, 0xff, was ^ 0x80 };

	for (size_t i = 0; i < COUNT(flips); i++) {
		struct notes_read r;

		file->bytes[at] = flips[i];
		notes_read(file, &r);
		if (in_section)
			cr_expect(eq(int, r.o.err, 0), "byte %zu", at);
		expect_safe(&r, file, in_section, "byte", at);
		notes_free(&r);
	}
	file->bytes[at] = was;
}

Test(note_hostile, notes_with_any_byte_flipped_are_safe)
{
	struct elf_made file;
	size_t start, size;

	elf_build(&spec, &file);
	start = elf_section(&file, ".note.stapsdt")->sh_offset;
	size = elf_section(&file, ".note.stapsdt")->sh_size;
	for (size_t at = start; at < start + size; at++)
		expect_safe_flips(&file, at, true);
	elf_free(&file);
}

Test(note_hostile, a_file_with_any_byte_flipped_is_safe)
{
	struct elf_made file;

	elf_build(&spec, &file);
	for (size_t at = 0; at < file.size; at++)
		expect_safe_flips(&file, at, false);
	elf_free(&file);
}
