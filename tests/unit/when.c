// SPDX-License-Identifier: BSD-2-Clause
#include "cli/options/when.h"

#include <stdlib.h>

#include "check.h"

#define SMALL(number) ((__u64)(number) << 4 | 0xf)

static struct functions_when when;
static char *atoms[FUNCTIONS_STEPS];

static const char *parse(const char *text)
{
	for (size_t i = 0; i < FUNCTIONS_STEPS; i++) {
		free(atoms[i]);
		atoms[i] = NULL;
	}
	return when_parse(text, &when, atoms);
}

Test(when, a_comparison_is_one_step)
{
	cr_assert(eq(ptr, check_pointer(parse("arg(2) >= -7")), NULL));
	cr_assert(eq(u32, when.count, 1));
	cr_expect(eq(int, when.steps[0].argument, 1));
	cr_expect(eq(int, when.steps[0].compare, FUNCTIONS_AT_LEAST));
	cr_expect(eq(u64, when.steps[0].value, SMALL(-7)));
	cr_expect(eq(u32, when.steps[0].is_atom, 0));
}

Test(when, atoms_may_be_in_quotes_and_elements_are_of_tuples)
{
	cr_assert(eq(ptr, check_pointer(parse(" element( 1 , result()) == 'it\\'s' ||arg(1)/=ok")), NULL));
	cr_assert(eq(u32, when.count, 3));
	cr_expect(eq(int, when.steps[0].argument, FUNCTIONS_RESULT));
	cr_expect(eq(int, when.steps[0].element, 1));
	expect_text(atoms[0], "it's");
	cr_expect(eq(int, when.steps[1].compare, FUNCTIONS_UNEQUAL));
	expect_text(atoms[1], "ok");
	cr_expect(eq(int, when.steps[2].kind, FUNCTIONS_OR));
}

Test(when, and_binds_stronger_than_or_and_not_strongest)
{
	static const enum functions_step_kind kinds[] = { FUNCTIONS_TEST, FUNCTIONS_TEST, FUNCTIONS_NOT,
							  FUNCTIONS_TEST, FUNCTIONS_AND,  FUNCTIONS_OR };

	cr_assert(eq(ptr, check_pointer(parse("arg(1) == a || !arg(2) == b && arg(3) == []")), NULL));
	cr_assert(eq(u32, when.count, COUNT(kinds)));
	for (size_t i = 0; i < COUNT(kinds); i++)
		cr_expect(eq(int, when.steps[i].kind, (int)kinds[i]));
	cr_assert(eq(ptr, check_pointer(parse("(arg(1) == a || arg(2) == b) && arg(3) == c")), NULL));
	cr_expect(eq(int, when.steps[4].kind, FUNCTIONS_AND));
}

Test(when, what_is_no_condition_is_refused)
{
	static const char *const texts[] = {
		"",
		"arg",
		"arg(0) == 1",
		"arg(17) == 1",
		"arg(1)",
		"arg(1) ==",
		"arg(1) == Ok",
		"arg(1) == 'ok",
		"arg(1) < ok",
		"arg(1) == ok extra",
		"(arg(1) == ok",
		"arg(1) == 99999999999999999999",
		"arg(1) == 576460752303423488",
		"element(1, element(1, arg(1))) == 1",
		"!",
		"result(1) == 1",
		"((((((((((((((((((((((((((((((((((((((((arg(1) == 1))))))))))))))))))))))))))))))))))))))))",
		"arg(1)==1||arg(1)==1||arg(1)==1||arg(1)==1||arg(1)==1||arg(1)==1||arg(1)==1||arg(1)==1||arg(1)==1",
	};

	for (size_t i = 0; i < COUNT(texts); i++)
		cr_expect(ne(ptr, check_pointer(parse(texts[i])), NULL), "%s", texts[i]);
	cr_expect(eq(ptr, check_pointer(parse("arg(1) == 576460752303423487")), NULL));
}
