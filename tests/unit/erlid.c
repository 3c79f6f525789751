// SPDX-License-Identifier: BSD-2-Clause
#include "node/memory/erlid.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "erl.h"

#define NUMBER_MAX ((1u << ERL_ID_NUMBER_BITS) - 1)

static const struct {
	const char *text;
	uint64_t number, serial;
} local[] = {
	{ "<0.0.0>", 0, 0 },
	{ "<0.1.0>", 1, 0 },
	{ "<0.91.0>", 91, 0 },
	{ "<0.32767.8191>", 32767, 8191 },
	{ "<0.134217727.1>", 134217727, 1 },
	{ "<0.268435455.0>", NUMBER_MAX, 0 },
	{ "<0.268435455.4294967295>", NUMBER_MAX, UINT32_MAX },
	{ "<0.0.4294967295>", 0, UINT32_MAX },
	{ "<0.7.65536>", 7, 65536 },
};

Test(erlid, pids_of_the_node_itself_are_read_and_written)
{
	for (size_t i = 0; i < COUNT(local); i++) {
		uint64_t id = 0, made = erl_id_make(ERL_ID_LOCAL, local[i].number, local[i].serial);
		char buf[ERLID_SIZE];

		cr_expect(eq(int, erlid_parse(local[i].text, &id), 0), "%s", local[i].text);
		cr_expect(eq(u64, id, made), "%s", local[i].text);
		cr_expect(eq(u64, erl_id_kind(id), ERL_ID_LOCAL), "%s", local[i].text);
		expect_text(erlid_format(made, buf), local[i].text);
	}
}

Test(erlid, the_angle_brackets_may_be_left_out)
{
	uint64_t with = 0, without = 0;

	cr_expect(eq(int, erlid_parse("<0.91.3>", &with), 0));
	cr_expect(eq(int, erlid_parse("0.91.3", &without), 0));
	cr_expect(eq(u64, with, without));
}

Test(erlid, random_local_pids_survive_the_round_trip)
{
	uint64_t state = 91;

	for (int i = 0; i < 10000; i++) {
		uint64_t chance = check_random(&state), back = 0;
		uint64_t id = erl_id_make(ERL_ID_LOCAL, chance & NUMBER_MAX, chance >> 32);
		char buf[ERLID_SIZE];

		if (erlid_parse(erlid_format(id, buf), &back) || back != id)
			cr_fail("%s", buf);
	}
}

Test(erlid, ports_are_written_with_their_whole_number)
{
	char buf[ERLID_SIZE];

	expect_text(erlid_format(erl_id_make(ERL_ID_PORT, 8, 0), buf), "#Port<0.8>");
	expect_text(erlid_format(erl_id_make(ERL_ID_PORT, NUMBER_MAX, 0), buf), "#Port<0.268435455>");
	expect_text(erlid_format(erl_id_make(ERL_ID_PORT, 0, 1), buf), "#Port<0.268435456>");
	expect_text(erlid_format(erl_id_make(ERL_ID_PORT, NUMBER_MAX, UINT32_MAX), buf),
		    "#Port<0.1152921504606846975>");
}

Test(erlid, pids_of_other_nodes_are_written_with_their_channel)
{
	char buf[ERLID_SIZE];
	uint64_t serial = 9111ULL << ERL_ID_REMOTE_SERIAL_BITS;

	expect_text(erlid_format(erl_id_make(ERL_ID_REMOTE, 88, serial), buf), "<9111.88.0>");
	expect_text(erlid_format(erl_id_make(ERL_ID_REMOTE, 88, serial | 7), buf), "<9111.88.7>");
	expect_text(erlid_format(erl_id_make(ERL_ID_REMOTE, NUMBER_MAX, UINT32_MAX), buf), "<65535.268435455.65535>");
}

Test(erlid, no_id_is_written_as_nothing)
{
	char buf[ERLID_SIZE] = "x";

	expect_text(erlid_format(0, buf), "");
	expect_text(erlid_format(~0ULL, buf), "");
}

Test(erlid, every_id_fits_into_its_buffer)
{
	for (uint64_t kind = 0; kind < 16; kind++) {
		char buf[ERLID_SIZE + 1];

		memset(buf, '!', sizeof(buf));
		erlid_format(erl_id_make(kind, NUMBER_MAX, UINT32_MAX), buf);
		cr_expect(lt(sz, strnlen(buf, ERLID_SIZE), ERLID_SIZE), "kind %d", (int)kind);
		cr_expect(eq(chr, buf[ERLID_SIZE], '!'), "kind %d", (int)kind);
	}
}

static const char *const bad[] = {
	"",	     "<>",	  "<0>",     "<0.1>",	  "0.1",	"1",	   "<0.1.2",	"0.1.2>",
	"<0.1.2>x",  "<0.1.2> ",  "0.1.2.3", "<0.1.2.3>", "<0..2>",	"<.1.2>",  "<0.1.>",	"<0.a.0>",
	"<0x0.1.2>", "<0.0x1.2>", "pid",     "self()",	  "#Port<0.8>", "<0.1,2>", "<<0.1.2>>", "(0.1.2)",
};

Test(erlid, what_is_no_pid_is_refused)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		uint64_t id = 42;

		cr_expect(eq(int, erlid_parse(bad[i], &id), -EINVAL), "\"%s\"", bad[i]);
		cr_expect(eq(u64, id, 42), "\"%s\" changed the result", bad[i]);
	}
}

Test(erlid, pids_of_other_nodes_are_refused)
{
	static const char *const remote[] = { "<1.91.0>", "<9111.88.0>", "9111.88.0" };
	uint64_t id;

	for (size_t i = 0; i < COUNT(remote); i++)
		cr_expect(eq(int, erlid_parse(remote[i], &id), -EINVAL), "%s", remote[i]);
}

static const char *const wrapped[] = {
	"<0.268435456.0>",
	"<0.4294967387.0>",
	"<0.1.4294967296>",
	"<4294967296.1.0>",
	"<0.18446744073709551707.0>",
	"<0.99999999999999999999.0>",
	"<0.1.99999999999999999999>",
};

Test(erlid, a_number_out_of_range_is_refused_not_wrapped_into_another_pid)
{
	for (size_t i = 0; i < COUNT(wrapped); i++) {
		uint64_t id;

		cr_expect(eq(int, erlid_parse(wrapped[i], &id), -EINVAL), "%s", wrapped[i]);
	}
}

static const char *const loose[] = {
	"<0.1.-1>", "<0.-1.0>", "<-0.1.0>", "<0.+1.0>",	 "<0. 1.0>",
	"<0.1. 2>", " 0.1.2",	"< 0.1.2>", "<0.\t1.2>", "<0.1.-4294967295>",
};

Test(erlid, signs_and_blanks_inside_a_pid_are_refused)
{
	for (size_t i = 0; i < COUNT(loose); i++) {
		uint64_t id;

		cr_expect(eq(int, erlid_parse(loose[i], &id), -EINVAL), "\"%s\"", loose[i]);
	}
}

#define ATOM(index) ((uint64_t)(index) << 6 | 0x0b)

Test(erlid, mfas_are_one_number_that_says_what_it_is)
{
	const uint64_t most = (1u << ERL_ID_ATOM_BITS) - 1;
	uint64_t id = erl_id_of_mfa(ATOM(12), ATOM(most), 255);

	cr_expect(eq(u64, erl_id_kind(id), ERL_ID_MFA));
	cr_expect(eq(u64, erl_id_value(id), 12ULL << (ERL_ID_ATOM_BITS + 8) | most << 8 | 255));
	cr_expect(ne(u64, erl_id_of_mfa(ATOM(0), ATOM(0), 0), 0), "no MFA is nothing");
}

Test(erlid, what_is_no_mfa_is_nothing)
{
	cr_expect(eq(u64, erl_id_of_mfa(ATOM(1), ATOM(2), 256), 0));
	cr_expect(eq(u64, erl_id_of_mfa(ATOM(1) + 4, ATOM(2), 3), 0), "a term that is no atom");
	cr_expect(eq(u64, erl_id_of_mfa(ATOM(1), 0, 3), 0));
	cr_expect(eq(u64, erl_id_of_mfa(ATOM(1u << ERL_ID_ATOM_BITS), ATOM(2), 3), 0), "no room for it");
}

Test(erlid, a_number_keeps_to_its_bits)
{
	cr_expect(eq(u64, erl_id_kind(erl_id_of(ERL_ID_NUMBER, ~0ULL)), ERL_ID_NUMBER));
	cr_expect(eq(u64, erl_id_value(erl_id_of(ERL_ID_NUMBER, ~0ULL)), ERL_ID_VALUE_MASK));
}
