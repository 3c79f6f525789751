// SPDX-License-Identifier: BSD-2-Clause
/* What the process on a node that holds breakpoints says later. */
#include "dist/watchdog_answer.h"

#include "check.h"

#define FUNCTIONS 2

static const unsigned char numbers[] = { 0, 0, 0, 0, 0, 0, 0, 5, 1, 0, 0, 0, 0, 0, 0, 0 };

/* {counts, Tag, Binary}. */
static struct watchdog_report say_counts(size_t size, uint64_t called[FUNCTIONS])
{
	struct watchdog_report said;
	ei_x_buff x;

	cr_assert(zero(int, ei_x_new_with_version(&x)));
	ei_x_encode_tuple_header(&x, 3);
	ei_x_encode_atom(&x, "counts");
	ei_x_encode_ulong(&x, 7);
	ei_x_encode_binary(&x, numbers, (int)size);
	watchdog_answer_report(x.buff, (size_t)x.index, &said, called, FUNCTIONS);
	ei_x_free(&x);
	return said;
}

Test(watchdog_answer, counts_have_a_number_for_each_function)
{
	uint64_t called[FUNCTIONS] = {};
	struct watchdog_report said = say_counts(sizeof(numbers), called);

	cr_assert(eq(int, said.state, WATCHDOG_COUNTS));
	cr_assert(eq(u32, said.tag, 7));
	cr_assert(eq(u32, said.called, FUNCTIONS));
	cr_assert(eq(u64, called[0], 5));
	cr_assert(eq(u64, called[1], 1ULL << 56));
}

Test(watchdog_answer, counts_of_more_or_fewer_functions_are_nothing)
{
	uint64_t called[FUNCTIONS] = {};

	for (size_t size = 0; size < sizeof(numbers); size++)
		cr_assert(eq(int, say_counts(size, called).state, WATCHDOG_RUNS), "%zu", size);
	cr_assert(eq(u64, called[0], 0));
}

Test(watchdog_answer, an_atom_says_what_became_of_the_breakpoints)
{
	static const char *const atoms[] = { "limit", "killed", "traced", "done", "else" };
	static const enum watchdog_state states[] = { WATCHDOG_LIMIT, WATCHDOG_KILLED, WATCHDOG_TRACED, WATCHDOG_DONE,
						      WATCHDOG_RUNS };

	for (size_t i = 0; i < COUNT(atoms); i++) {
		struct watchdog_report said;
		ei_x_buff x;

		cr_assert(zero(int, ei_x_new_with_version(&x)));
		ei_x_encode_atom(&x, atoms[i]);
		watchdog_answer_report(x.buff, (size_t)x.index, &said, NULL, 0);
		cr_assert(eq(int, said.state, (int)states[i]), "%s", atoms[i]);
		ei_x_free(&x);
	}
}
