// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sites/note.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "note_check.h"

static const struct elf_note good[] = {
	{ "erlang", "message__send", "8@%rsi 8@%r8", ELF_NOP, ELF_PROBES, 0 },
	{ "erlang", "process__exit", "", ELF_NOP_NOP5, 0, 0 },
	{ "other", "x", "-4@-20(%rbp,%rax,8)", ELF_NOP_LATE, ELF_PROBES + ELF_PROBES_SIZE - 2, 0 },
};

static const struct elf_spec spec = { .notes = good, .note_count = COUNT(good) };

Test(note, good_notes_are_read_in_their_order)
{
	static const uint64_t offsets[] = { ELF_CODE_OFFSET, ELF_CODE_OFFSET + 0x10, ELF_CODE_OFFSET + 0x28 };
	static const uint64_t semaphores[] = { ELF_DATA_OFFSET, 0, ELF_DATA_OFFSET + ELF_PROBES_SIZE - 2 };
	struct elf_made file;
	struct notes_read r;

	elf_build(&spec, &file);
	notes_read(&file, &r);
	cr_expect(eq(int, r.err, 0));
	cr_expect(eq(sz, r.refused, 0), "%s", r.why);
	cr_assert(eq(sz, r.list.count, COUNT(good)));
	for (size_t i = 0; i < COUNT(good); i++) {
		const struct note *note = &r.list.notes[i];

		expect_text(note->provider, good[i].provider);
		expect_text(note->name, good[i].name);
		expect_text(note->args, good[i].args);
		cr_expect(eq(u64, note->site, good[i].site), "%zu", i);
		cr_expect(eq(u64, note->site_offset, offsets[i]), "%zu", i);
		cr_expect(eq(u64, note->semaphore_offset, semaphores[i]), "%zu", i);
		cr_expect(eq(sz, file.bytes[note->note_offset], 8), "%zu", i);
	}
	cr_expect(eq(u64, r.list.notes[0].note_offset, r.section_offset));
	notes_free(&r);
	elf_free(&file);
}

Test(note, a_file_without_notes_has_an_empty_list)
{
	struct elf_spec none = {};
	struct elf_made file;
	struct notes_read r;

	elf_build(&none, &file);
	notes_read(&file, &r);
	cr_expect(eq(int, r.err, 0));
	cr_expect(eq(sz, r.list.count, 0));
	cr_expect(eq(sz, r.refused, 0));
	notes_free(&r);
	elf_free(&file);
}

static void count_refused(void *data, uint64_t offset, const char *why)
{
	(void)offset;
	(void)why;
	++*(size_t *)data;
}

Test(note, a_file_that_cannot_be_read_is_not_one_without_notes)
{
	struct elf_opened opened;
	struct note_list list;
	size_t refused = 0;
	int blind = open("/dev/null", O_WRONLY | O_CLOEXEC);

	elf_open_spec(&spec, &opened);
	cr_assert(ge(int, blind, 0));
	cr_assert(eq(int, dup2(blind, opened.fd), opened.fd));
	cr_expect(eq(int, note_list_read(opened.image, &list, count_refused, &refused), -EBADF));
	cr_expect(eq(sz, refused, 0));
	note_list_free(&list);
	elf_close(&opened);
	close(blind);
}

Test(note, the_nop_of_aarch64_is_a_site)
{
	struct elf_spec arm = { .machine = EM_AARCH64, .notes = good, .note_count = 2 };
	struct elf_made file;
	struct notes_read r;

	elf_build(&arm, &file);
	notes_read(&file, &r);
	cr_expect(eq(sz, r.list.count, 2), "%s", r.why);
	notes_free(&r);
	elf_free(&file);
}

/* The file was moved by `moved` bytes after its notes were written. */
static void expect_moved(int64_t moved)
{
	struct elf_note note = good[0];
	struct elf_spec prelinked = { .notes = &note, .note_count = 1 };
	struct elf_made file;
	struct notes_read r;

	note.site -= (uint64_t)moved;
	note.semaphore -= (uint64_t)moved;
	note.base = ELF_BASE - (uint64_t)moved;
	elf_build(&prelinked, &file);
	notes_read(&file, &r);
	cr_assert(eq(sz, r.list.count, 1), "moved by %lld: %s", (long long)moved, r.why);
	cr_expect(eq(u64, r.list.notes[0].site, ELF_NOP), "moved by %lld", (long long)moved);
	cr_expect(eq(u64, r.list.notes[0].site_offset, ELF_CODE_OFFSET));
	cr_expect(eq(u64, r.list.notes[0].semaphore_offset, ELF_DATA_OFFSET));
	notes_free(&r);
	elf_free(&file);
}

Test(note, prelinking_is_undone_with_the_help_of_the_base)
{
	static const int64_t moves[] = { 0, 0x1000, -0x1000, 0x200000, -0x7f0000000000, 0x100000000 };

	for (size_t i = 0; i < COUNT(moves); i++)
		expect_moved(moves[i]);
}

/* Where either base is not known nothing is moved. */
static void expect_unmoved(bool has_section, uint64_t note_base)
{
	struct elf_spec one = { .notes = good, .note_count = 1 };
	struct elf_made file;
	struct notes_read r;

	elf_build(&one, &file);
	memcpy(file.bytes + elf_section(&file, ".note.stapsdt")->sh_offset + 28, &note_base, 8);
	if (!has_section)
		elf_section(&file, ".stapsdt.base")->sh_name = 0;
	notes_read(&file, &r);
	cr_assert(eq(sz, r.list.count, 1), "%s", r.why);
	cr_expect(eq(u64, r.list.notes[0].site, ELF_NOP));
	cr_expect(eq(u64, r.list.notes[0].semaphore_offset, ELF_DATA_OFFSET));
	notes_free(&r);
	elf_free(&file);
}

Test(note, a_file_without_a_base_was_not_moved)
{
	expect_unmoved(false, ELF_BASE);
	expect_unmoved(false, 0x1000);
}

Test(note, a_note_without_a_base_was_not_moved)
{
	expect_unmoved(true, 0);
	expect_unmoved(false, 0);
}

Test(note, a_site_of_a_moved_file_is_not_taken_where_it_was)
{
	struct elf_note note = { "erlang", "x", "", ELF_NOP, 0, ELF_BASE + 0x1000 };

	expect_note(&note, "its site is not in executable code");
}

Test(note, a_moved_file_whose_probe_has_no_semaphore_still_has_none)
{
	struct elf_note note = { "erlang", "x", "", ELF_NOP - 0x1000, 0, ELF_BASE - 0x1000 };

	expect_note(&note, NULL);
}

static const struct {
	const char *what;
	uint64_t site;
	const char *why;
} sites[] = {
	{ "nop", ELF_NOP, NULL },
	{ "nop before nop5", ELF_NOP_NOP5, NULL },
	{ "nop5 behind nop", ELF_NOP_NOP5 + 1, "its site is not a nop of one byte" },
	{ "nop5", ELF_NOP5, "its site is not a nop of one byte" },
	{ "inside nop5", ELF_NOP5 + 1, "its site is not a nop of one byte" },
	{ "int3", ELF_CODE + 1, "its site is not a nop of one byte" },
	{ "another instruction", ELF_MOV, "its site is not a nop of one byte" },
	{ "last byte of the code", ELF_CODE + ELF_CODE_SIZE - 1, "its site is not a nop of one byte" },
	{ "behind the code", ELF_CODE + ELF_CODE_SIZE, "its site is not in executable code" },
	{ "before the code", ELF_CODE - 1, "its site is not in executable code" },
	{ "data", ELF_DATA, "its site is not in executable code" },
	{ "headers", 0x400000, "its site is not in executable code" },
	{ "0", 0, "its site is not in executable code" },
	{ "the last address", UINT64_MAX, "its site is not in executable code" },
};

Test(note, a_site_must_be_a_nop_in_executable_code)
{
	for (size_t i = 0; i < COUNT(sites); i++) {
		struct elf_note note = { "erlang", sites[i].what, "", sites[i].site, 0, 0 };

		expect_note(&note, sites[i].why);
	}
}

static const struct {
	struct elf_note notes[2];
	bool is_good;
} shared[] = {
	{ { { "erlang", "a", "", ELF_NOP, ELF_PROBES, 0 }, { "erlang", "b", "", ELF_NOP, ELF_PROBES, 0 } }, true },
	{ { { "erlang", "a", "", ELF_NOP, ELF_PROBES, 0 }, { "erlang", "b", "", ELF_NOP_LATE, ELF_PROBES + 2, 0 } },
	  true },
	{ { { "erlang", "a", "", ELF_NOP, ELF_PROBES, 0 }, { "erlang", "b", "", ELF_NOP, ELF_PROBES + 2, 0 } }, false },
	{ { { "erlang", "a", "", ELF_NOP, ELF_PROBES, 0 }, { "erlang", "b", "", ELF_NOP, 0, 0 } }, false },
};

Test(note, all_notes_of_a_site_must_have_its_semaphore)
{
	for (size_t i = 0; i < COUNT(shared); i++) {
		struct elf_spec two = { .notes = shared[i].notes, .note_count = 2 };
		struct elf_made file;
		struct notes_read r;

		elf_build(&two, &file);
		notes_read(&file, &r);
		cr_assert(eq(sz, r.list.count, shared[i].is_good ? 2 : 1), "%zu: %s", i, r.why);
		expect_text(r.list.notes[0].name, "a");
		expect_text(r.why, shared[i].is_good ? NULL : "another note gives its site another semaphore");
		notes_free(&r);
		elf_free(&file);
	}
}

/* A second segment claims the addresses of the code, and has a nop where the code has none. */
Test(note, a_site_must_be_a_nop_in_the_segment_that_is_executed)
{
	struct elf_note note = { "erlang", "x", "", ELF_MOV, 0, 0 };
	struct elf_spec one = { .notes = &note, .note_count = 1 };
	struct elf_made file;
	struct notes_read r;

	elf_build(&one, &file);
	memset(file.bytes + ELF_DATA_OFFSET, 0x90, ELF_DATA_SIZE);
	*elf_segment(&file, ELF_SEGMENT_HEADERS) = *elf_segment(&file, ELF_SEGMENT_DATA);
	elf_segment(&file, ELF_SEGMENT_HEADERS)->p_vaddr = ELF_CODE;
	notes_read(&file, &r);
	cr_expect(eq(sz, r.list.count, 0));
	expect_safe(&r, &file, true, "segment", 0);
	notes_free(&r);
	elf_free(&file);
}

static const struct {
	const char *what;
	uint64_t semaphore;
	const char *why;
} semaphores[] = {
	{ "none", 0, NULL },
	{ "first", ELF_PROBES, NULL },
	{ "last", ELF_PROBES + ELF_PROBES_SIZE - 2, NULL },
	{ "odd", ELF_PROBES + 1, "its semaphore is not in .probes" },
	{ "half behind", ELF_PROBES + ELF_PROBES_SIZE - 1, "its semaphore is not in .probes" },
	{ "behind", ELF_PROBES + ELF_PROBES_SIZE, "its semaphore is not in .probes" },
	{ "before", ELF_PROBES - 2, "its semaphore is not in .probes" },
	{ "in other data", ELF_DATA + 0x100, "its semaphore is not in .probes" },
	{ "in the code", ELF_NOP, "its semaphore is not in .probes" },
	{ "at the end of memory", UINT64_MAX - 1, "its semaphore is not in .probes" },
};

Test(note, a_semaphore_must_be_two_bytes_of_probes)
{
	for (size_t i = 0; i < COUNT(semaphores); i++) {
		struct elf_note note = {
			"erlang", semaphores[i].what, "", ELF_NOP, semaphores[i].semaphore, 0,
		};

		expect_note(&note, semaphores[i].why);
	}
}

/* .probes is where it is not written to: in code, in headers, in nothing, in .bss. */
static void expect_probes_at(uint64_t address, uint64_t size, const char *why)
{
	struct elf_note note = { "erlang", "x", "", ELF_NOP, address, 0 };
	struct elf_spec one = { .notes = &note, .note_count = 1 };
	struct elf_made file;
	struct notes_read r;

	elf_build(&one, &file);
	elf_section(&file, ".probes")->sh_addr = address;
	elf_section(&file, ".probes")->sh_size = size;
	notes_read(&file, &r);
	cr_expect(eq(sz, r.list.count, 0), "0x%llx", (unsigned long long)address);
	expect_text(r.why, why, "0x%llx", (unsigned long long)address);
	notes_free(&r);
	elf_free(&file);
}

Test(note, a_semaphore_must_be_in_writable_data)
{
	expect_probes_at(ELF_CODE, 64, "its semaphore is not in writable data");
	expect_probes_at(0x400000, 64, "its semaphore is not in writable data");
	expect_probes_at(0x900000, 64, "its semaphore is not in writable data");
	expect_probes_at(ELF_PROBES, 1, "its semaphore is not in .probes");
	expect_probes_at(ELF_PROBES, 0, "its semaphore is not in .probes");
}

Test(note, a_semaphore_must_be_in_the_file)
{
	expect_probes_at(ELF_BSS, 64, "its semaphore is not in writable data");
	expect_probes_at(ELF_BSS + 0x1000, 64, "its semaphore is not in writable data");
}

Test(note, both_bytes_of_a_semaphore_must_be_in_the_file)
{
	struct elf_note note = { "erlang", "x", "", ELF_NOP, ELF_PROBES + ELF_PROBES_SIZE - 2, 0 };
	struct elf_spec one = { .notes = &note, .note_count = 1 };
	struct elf_made file;
	struct notes_read r;

	elf_build(&one, &file);
	elf_segment(&file, ELF_SEGMENT_DATA)->p_filesz = ELF_PROBES_SIZE - 1;
	notes_read(&file, &r);
	cr_expect(eq(sz, r.list.count, 0));
	expect_text(r.why, "its semaphore is not in writable data");
	notes_free(&r);
	elf_free(&file);
}

Test(note, a_semaphore_needs_a_section_of_semaphores)
{
	struct elf_made file;
	struct notes_read r;

	elf_build(&spec, &file);
	elf_section(&file, ".probes")->sh_name = 0;
	notes_read(&file, &r);
	cr_assert(eq(sz, r.list.count, 1));
	expect_text(r.list.notes[0].name, "process__exit");
	expect_text(r.why, "its semaphore is not in .probes");
	notes_free(&r);
	elf_free(&file);
}
