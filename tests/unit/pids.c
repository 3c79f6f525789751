// SPDX-License-Identifier: BSD-2-Clause
/* Process tables laid out as OTP 25 (32-bit masks) and OTP 27 (64-bit masks) lay them out. */
#include "node/atoms/pids.h"

#include <errno.h>
#include <string.h>

#include "check.h"

/* What erts_ptab_init_table() computes from the size of the table, eight places to a cache line. */
struct masks {
	uint64_t pix, cl, cli;
	uint32_t cl_shift, cli_shift;
};

static struct masks masks_of(int pix_bits)
{
	struct masks m = {
		.pix = (1ULL << pix_bits) - 1,
		.cl = (1ULL << (pix_bits - 3)) - 1,
		.cli = 7,
		.cl_shift = 3,
		.cli_shift = (uint32_t)pix_bits - 3,
	};

	return m;
}

/* The other fields hold what looks like pointers and numbers. */
static void fill(unsigned char *table)
{
	for (size_t i = 0; i < PID_TABLE_SIZE; i++)
		table[i] = (unsigned char)(0x40 + i * 7);
}

static void make_wide(unsigned char *table, const struct masks *m)
{
	fill(table);
	memcpy(table + 216, &m->pix, 8);
	memcpy(table + 224, &m->cl, 8);
	memcpy(table + 232, &m->cli, 8);
	memcpy(table + 240, &m->cl_shift, 4);
	memcpy(table + 244, &m->cli_shift, 4);
}

static void make_narrow(unsigned char *table, const struct masks *m)
{
	const uint32_t words[] = {
		(uint32_t)m->pix, (uint32_t)m->cl, m->cl_shift, (uint32_t)m->cli, m->cli_shift,
	};

	fill(table);
	memcpy(table + 212, words, sizeof(words));
}

static void expect_masks(const struct erl_pid_layout *layout, const struct masks *m, const unsigned char *table)
{
	cr_expect(eq(u64, layout->pix_mask, m->pix));
	cr_expect(eq(u64, layout->cl_mask, m->cl), "of 0x%llx", (unsigned long long)m->pix);
	cr_expect(eq(u64, layout->cli_mask, m->cli), "of 0x%llx", (unsigned long long)m->pix);
	cr_expect(eq(u32, layout->cl_shift, m->cl_shift), "of 0x%llx", (unsigned long long)m->pix);
	cr_expect(eq(u32, layout->cli_shift, m->cli_shift), "of 0x%llx", (unsigned long long)m->pix);
	/* The address of the table of processes. */
	cr_expect(eq(int, memcmp(&layout->table, table + 192, 8), 0));
}

Test(pids, the_table_of_otp_27_tells_how_a_place_becomes_a_number)
{
	for (int bits = 10; bits <= 27; bits++) {
		struct masks m = masks_of(bits);
		unsigned char table[PID_TABLE_SIZE];
		struct erl_pid_layout layout;

		make_wide(table, &m);
		cr_expect(eq(int, pid_layout_of_table(table, &layout), 0), "%d bits", bits);
		cr_expect(eq(u64, layout.data_bits, 60));
		cr_expect(eq(u64, layout.number_bits, ERL_ID_NUMBER_BITS));
		cr_expect(eq(u64, layout.has_places, 1));
		expect_masks(&layout, &m, table);
	}
}

Test(pids, the_table_of_otp_25_says_that_terms_hold_the_number_itself)
{
	for (int bits = 10; bits <= 27; bits++) {
		struct masks m = masks_of(bits);
		unsigned char table[PID_TABLE_SIZE];
		struct erl_pid_layout layout;

		make_narrow(table, &m);
		cr_expect(eq(int, pid_layout_of_table(table, &layout), 0), "%d bits", bits);
		cr_expect(eq(u64, layout.data_bits, 28));
		cr_expect(eq(u64, layout.number_bits, 15));
		cr_expect(eq(u64, layout.has_places, 0));
		expect_masks(&layout, &m, table);
	}
}

static const struct {
	const char *what;
	struct masks masks;
} nonsense[] = {
	{ "no mask at all", { 0 } },
	{ "all bits set", { ~0ULL, ~0ULL, ~0ULL, ~0u, ~0u } },
	{ "a hole in the mask", { 0x3fffd, 0x7fff, 7, 3, 15 } },
	{ "a hole in the cache lines' mask", { 0x3ffff, 0x7ffd, 7, 3, 15 } },
	{ "a hole in the index's mask", { 0x3ffff, 0x7fff, 5, 3, 15 } },
	{ "parts that do not add up", { 0x3ffff, 0x3fff, 7, 3, 14 } },
	{ "parts of which one is too long", { 0x3ffff, 0xffff, 7, 3, 16 } },
	{ "shifts exchanged", { 0x3ffff, 0x7fff, 7, 15, 3 } },
	{ "no shifts", { 0x3ffff, 0x7fff, 7, 0, 0 } },
	{ "one shift off by one", { 0x3ffff, 0x7fff, 7, 3, 16 } },
	{ "a table larger than any", { 0x3fffffff, 0x7ffffff, 7, 3, 27 } },
};

static void expect_refused(const unsigned char *table, const char *what)
{
	struct erl_pid_layout layout, zero = {};

	memset(&layout, 0xff, sizeof(layout));
	cr_expect(eq(int, pid_layout_of_table(table, &layout), -ENOENT), "%s", what);
	cr_expect(eq(int, memcmp(&layout, &zero, sizeof(zero)), 0), "%s is not zeroed", what);
}

Test(pids, masks_that_contradict_each_other_are_refused)
{
	for (size_t i = 0; i < COUNT(nonsense); i++) {
		unsigned char table[PID_TABLE_SIZE];

		make_wide(table, &nonsense[i].masks);
		expect_refused(table, nonsense[i].what);
		make_narrow(table, &nonsense[i].masks);
		expect_refused(table, nonsense[i].what);
	}
}

Test(pids, tables_of_one_byte_repeated_are_refused)
{
	for (int byte = 0; byte < 256; byte++) {
		unsigned char table[PID_TABLE_SIZE];

		memset(table, byte, sizeof(table));
		expect_refused(table, "one byte repeated");
	}
}

Test(pids, random_tables_are_refused)
{
	uint64_t state = 27;

	for (int i = 0; i < 20000; i++) {
		unsigned char table[PID_TABLE_SIZE];
		struct erl_pid_layout layout;

		for (size_t n = 0; n < sizeof(table); n++)
			table[n] = (unsigned char)(check_random(&state) >> 32);
		if (pid_layout_of_table(table, &layout) != -ENOENT)
			cr_fail("table %d", i);
	}
}
