// SPDX-License-Identifier: BSD-2-Clause
/* Tables of frames as compilers write them, and hostile ones; stacks of C as bpf/profile.bpf.c takes them. */
#include "elf/eh_frame.h"

#include <string.h>

#include "check.h"
#include "erlang/layout.h"
#include "profile/unwind.h"

#define TABLE 0x1000

/* One kind (x86-64, as gcc has it: the frame begins at rsp + 8), and one function at 0x2000 of 0x40 bytes. */
static const unsigned char table[] = {
	/* length, 0, version, "zR", code 1, data -8, register 16, 1 byte: absolute in 8 bytes */
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x04, 0x0c, 7, 8, 0x90, 1, 0, 0,
	/* length, distance to the kind, start, size, no data */
	33, 0, 0, 0, 28, 0, 0, 0, 0x00, 0x20, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0,
	/* push rbp at 0; mov rsp, rbp at 1; pop rbp, at 0x30 */
	0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x6c, 0x0c, 7, 8,
	/* the end */
	0, 0, 0, 0
};

static struct eh_frame frames_of(const unsigned char *bytes, size_t size)
{
	return (struct eh_frame){ .table = bytes, .size = size, .address = TABLE };
}

Test(eh_frame, has_functions_with_their_sizes)
{
	struct eh_frame frames = frames_of(table, sizeof(table));
	struct eh_frame_entry entry;

	cr_assert(eh_frame_next(&frames, &entry));
	cr_expect(eq(u64, entry.start, 0x2000));
	cr_expect(eq(u64, entry.size, 0x40));
	cr_expect(not(eh_frame_next(&frames, &entry)));
}

struct start_row {
	uint64_t address, base;
	int64_t offset, saved_rbp;
};

Test(eh_frame, says_where_the_frame_begins_at_each_instruction)
{
	static const struct start_row rows[] = {
		{ 0x2000, EH_FRAME_RSP, 8, 0 },	   { 0x2001, EH_FRAME_RSP, 16, -16 }, { 0x2003, EH_FRAME_RSP, 16, -16 },
		{ 0x2004, EH_FRAME_RBP, 16, -16 }, { 0x202f, EH_FRAME_RBP, 16, -16 }, { 0x2030, EH_FRAME_RSP, 8, -16 },
		{ 0x203f, EH_FRAME_RSP, 8, -16 },
	};
	struct eh_frame frames = frames_of(table, sizeof(table));
	struct eh_frame_cfa start;
	struct eh_frame_entry entry;

	cr_assert(eh_frame_next(&frames, &entry));
	for (size_t i = 0; i < COUNT(rows); i++) {
		cr_assert(eh_frame_cfa(&entry, rows[i].address, &start), "%zu", i);
		cr_expect(eq(u64, start.base, rows[i].base), "%zu", i);
		cr_expect(eq(i64, start.offset, rows[i].offset), "%zu", i);
		cr_expect(eq(i64, start.saved_rbp, rows[i].saved_rbp), "%zu", i);
	}
	cr_expect(not(eh_frame_cfa(&entry, 0x2040, &start)));
	cr_expect(not(eh_frame_cfa(&entry, 0x1fff, &start)));
}

Test(eh_frame, survives_any_byte_of_its_table)
{
	unsigned char bytes[sizeof(table)];

	for (size_t i = 0; i < sizeof(table); i++) {
		for (unsigned int value = 0; value < 256; value++) {
			struct eh_frame frames = frames_of(bytes, sizeof(bytes));
			struct eh_frame_cfa start;
			struct eh_frame_entry entry;

			memcpy(bytes, table, sizeof(table));
			bytes[i] = (unsigned char)value;
			while (eh_frame_next(&frames, &entry)) {
				cr_assert(entry.code >= bytes && entry.code + entry.code_size <= bytes + sizeof(bytes));
				eh_frame_cfa(&entry, 0x2010, &start);
			}
		}
	}
}

Test(eh_frame, survives_the_end_of_its_table_anywhere)
{
	for (size_t size = 0; size < sizeof(table); size++) {
		struct eh_frame frames = frames_of(table, size);
		struct eh_frame_cfa start;
		struct eh_frame_entry entry;

		while (eh_frame_next(&frames, &entry))
			eh_frame_cfa(&entry, 0x2010, &start);
	}
}

/* Without tables, what is behind a call counts; here all that is even. */

static const struct unwind_table *no_table(void *data, uint64_t address, uint64_t *in_file)
{
	(void)data;
	*in_file = address;
	return NULL;
}

static bool is_even(void *data, uint64_t address)
{
	(void)data;
	return !(address & 1);
}

static const struct unwind_source source = { .table = no_table, .is_return = is_even };

Test(unwind, takes_what_a_call_left_where_no_table_is)
{
	struct sample_stack stack = { .ip = 0x1001, .native_count = 3 };
	uint64_t frames[SAMPLE_NATIVE];

	stack.native[0] = sample_word(0x2000, 1);
	stack.native[1] = sample_word(0x3001, 2);
	stack.native[2] = sample_word(0x4000, 7);
	cr_assert(eq(sz, unwind(&source, &stack, frames), 3));
	cr_expect(eq(u64, frames[0], 0x1001));
	/* The call, not what is behind it. */
	cr_expect(eq(u64, frames[1], 0x1fff));
	cr_expect(eq(u64, frames[2], 0x3fff));
}

Test(unwind, ends_at_the_code_of_the_jit)
{
	struct sample_stack stack = { .ip = 0x1001, .native_count = 2, .flags = SAMPLE_FROM_MADE };
	uint64_t frames[SAMPLE_NATIVE];

	stack.native[0] = sample_word(0x2000, 1);
	stack.native[1] = sample_word(0x4000, 7);
	cr_expect(eq(sz, unwind(&source, &stack, frames), 2));
}

Test(unwind, has_no_more_frames_than_fit_whatever_the_words_are)
{
	struct sample_stack stack = { .ip = 0, .native_count = SAMPLE_NATIVE, .frame_pointer = 3 };
	uint64_t frames[SAMPLE_NATIVE];

	for (size_t i = 0; i < SAMPLE_NATIVE; i++)
		stack.native[i] = ~(uint64_t)i << 1;
	cr_expect(le(sz, unwind(&source, &stack, frames), SAMPLE_NATIVE));
}

struct call_row {
	const char *bytes;
	bool is_call;
};

Test(unwind, knows_calls_by_their_bytes)
{
	static const struct call_row rows[] = {
		{ "\x90\x90\xe8\x01\x02\x03\x04", true }, /* call DISTANCE */
		{ "\x90\xff\x15\x01\x02\x03\x04", true }, /* call *DISTANCE(%rip) */
		{ "\x90\x90\x90\x90\x90\xff\xd0", true }, /* call *%rax */
		{ "\x90\x90\x90\x90\xff\x50\x08", true }, /* call *8(%rax) */
		{ "\xff\x94\xc0\x01\x02\x03\x04", true }, /* call *DISTANCE(%rax,%rax,8) */
		{ "\x90\x90\x90\x90\x90\x90\x90", false }, { "\x90\x90\xe9\x01\x02\x03\x04", false }, /* jmp */
		{ "\x90\x90\x90\x90\x90\xff\xe0", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		cr_expect(eq(int, unwind_is_call((const unsigned char *)rows[i].bytes), rows[i].is_call), "%zu", i);
}

Test(layout, merges_ranges_that_meet_and_then_those_with_the_smallest_gaps)
{
	struct sample_range ranges[] = { { 50, 60 }, { 10, 20 }, { 20, 30 }, { 31, 35 }, { 100, 110 }, { 55, 58 } };

	cr_assert(eq(sz, layout_merge(ranges, COUNT(ranges), 3), 3));
	cr_expect(eq(u64, ranges[0].start, 10));
	cr_expect(eq(u64, ranges[0].end, 35));
	cr_expect(eq(u64, ranges[1].start, 50));
	cr_expect(eq(u64, ranges[1].end, 60));
	cr_expect(eq(u64, ranges[2].start, 100));
	cr_expect(eq(sz, layout_merge(ranges, 3, 1), 1));
	cr_expect(eq(u64, ranges[0].end, 110));
	cr_expect(eq(sz, layout_merge(ranges, 0, 1), 0));
}
