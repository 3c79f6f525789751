// SPDX-License-Identifier: BSD-2-Clause
/* The oldest function on the stack of an Erlang process. */
#include "node/code/stack.h"

#include <criterion/criterion.h>

#define HEAP 0x10000
#define SIZE 1000
#define END (HEAP + SIZE * 8)
#define CODE 0x7f0000001234

static const struct stack_place full = { .heap = HEAP, .size = SIZE, .stop = HEAP };

Test(stack, of_one_word_has_no_function)
{
	const struct stack_place place = { .heap = HEAP, .size = SIZE, .stop = END - 8 };
	uint64_t address;

	cr_expect_eq(stack_words(&place, &address), 0);
}

Test(stack, is_read_from_its_oldest_end)
{
	const struct stack_place place = { .heap = HEAP, .size = SIZE, .stop = END - 4 * 8 };
	uint64_t address;

	cr_expect_eq(stack_words(&place, &address), 3);
	cr_expect_eq(address, place.stop);
	cr_expect_eq(stack_words(&full, &address), ERL_STACK_WORDS);
	cr_expect_eq(address, END - (ERL_STACK_WORDS + 1) * 8);
}

Test(stack, that_is_not_in_its_block_is_none)
{
	const struct stack_place places[] = {
		{},
		{ .heap = HEAP, .size = SIZE, .stop = HEAP - 8 },
		{ .heap = HEAP, .size = SIZE, .stop = END },
		{ .heap = HEAP, .size = 0, .stop = HEAP },
		{ .heap = ~7ULL, .size = ~0ULL, .stop = ~7ULL },
	};
	uint64_t address;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		cr_expect_eq(stack_words(&places[i], &address), 0, "%zu", i);
}

/* The newest comes first. Terms have tags, and a frame pointer leads into the stack. */
Test(stack, shows_where_the_oldest_function_goes_on)
{
	const uint64_t words[] = { CODE + 4, 0x3b, CODE, END - 16, 0x394b, 0x3a10f, 0x1e8000003d3 };

	cr_expect_eq(stack_oldest_return(&full, words, 7), 3);
	cr_expect_eq(stack_oldest_return(&full, words, 2), 1);
	cr_expect_eq(stack_oldest_return(&full, words + 3, 4), 0);
	cr_expect_eq(stack_oldest_return(&full, words, 0), 0);
}
