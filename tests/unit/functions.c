// SPDX-License-Identifier: BSD-2-Clause
#include "probe/functions.h"

#include <stdio.h>

#include "check.h"
#include "erl.h"

Test(functions, a_name_has_one_number_for_good)
{
	char name[] = "ets_insert_2";
	uint32_t number = function_number(name);

	name[0] = 'x';
	cr_expect(eq(u32, function_number("ets_insert_2"), number));
	cr_expect(ne(u32, function_number("ets_lookup_2"), number));
	cr_expect_str_eq(function_name(number), "ets_insert_2");
}

Test(functions, numbers_that_were_not_given_out_have_no_name)
{
	cr_expect_str_eq(function_name(0), "");
	cr_expect_str_eq(function_name(UINT32_MAX), "");
}

Test(functions, a_hostile_file_cannot_take_more_than_there_are)
{
	uint32_t last = 0, number = 1;
	char name[32];

	for (uint32_t i = 0; number && i < (1u << 20); i++) {
		snprintf(name, sizeof(name), "f%u", i);
		number = function_number(name);
		last = number ? number : last;
	}
	cr_expect(eq(u32, number, 0), "there is an end");
	cr_expect(lt(u32, last, 1u << ERL_FUNCTION_BITS), "all fit a cookie");
	cr_expect(eq(u32, function_number("f0"), function_number("f0")));
	cr_expect(ne(u32, function_number("f0"), 0));
}
