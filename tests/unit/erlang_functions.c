// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sites/erlang_functions.h"

#include "check.h"

static const struct {
	const char *pattern, *function;
	bool matches;
} rows[] = {
	{ "ets:insert/2", "ets:insert/2", true },
	{ "ets:insert/2", "ets:insert/22", false },
	{ "ets:insert/22", "ets:insert/2", false },
	{ "ets:insert*", "ets:insert_new/2", true },
	{ "ets:insert*", "ets:inser", false },
	{ "*", "ets:insert/2", true },
	{ "*", "", true },
	{ "Elixir*", "'Elixir.Shop':order/2", true },
	{ "Elixir.Shop:order/2", "'Elixir.Shop':order/2", true },
	{ "'Elixir.Shop':order/2", "'Elixir.Shop':order/2", true },
	{ "'Elixir.Shop':*", "'Elixir.Shop':order/2", true },
	{ "'Elixir.Sho':*", "'Elixir.Shop':order/2", false },
	{ "erlang:'+'/2", "erlang:'+'/2", true },
	{ "erlang:+/2", "erlang:'+'/2", true },
	{ "erlang:++/2", "erlang:'+'/2", false },
	{ "", "ets:insert/2", false },
};

Test(erlang_functions, a_pattern_is_a_name_or_its_beginning_without_regard_to_quotes)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		cr_expect(eq(int, erlang_function_matches(rows[i].pattern, rows[i].function), rows[i].matches), "%s %s",
			  rows[i].pattern, rows[i].function);
}
