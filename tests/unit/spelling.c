// SPDX-License-Identifier: BSD-2-Clause
/* Names as Elixir writes them. */
#include "node/atoms/spelling.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>

struct row {
	char erlang[64], elixir[64];
};

ParameterizedTestParameters(spelling, is_that_of_elixir)
{
	static struct row rows[] = {
		{ "'Elixir.Shop.Cart':add/2", "Shop.Cart.add/2" },
		{ "'Elixir.Shop'", "Shop" },
		{ "'Elixir.Shop.Repo'", "Shop.Repo" },
		{ "'Elixir.Shop.Cart':'valid?'/1", "Shop.Cart.valid?/1" },
		{ "'Elixir.Shop.Cart':'save!'/1", "Shop.Cart.save!/1" },
		{ "'Elixir.Shop.Cart':'+'/2", "Shop.Cart.+/2" },
		{ "'Elixir.Shop.Cart':'__struct__'/0", "Shop.Cart.__struct__/0" },
		{ "'Elixir.Shop.Cart':'-start/1-fun-0-'/0", "Shop.Cart.-start/1-fun-0-/0" },
		{ "'Elixir.Shop.CartTest':'test it adds'/1", "Shop.CartTest.\"test it adds\"/1" },
		{ "'Elixir.Shop.Cart2_x':a/0", "Shop.Cart2_x.a/0" },
	};

	return cr_make_param_array(struct row, rows, sizeof(rows) / sizeof(*rows));
}

ParameterizedTest(struct row *row, spelling, is_that_of_elixir)
{
	spelling_elixir(row->erlang);
	cr_expect_str_eq(row->erlang, row->elixir);
}

ParameterizedTestParameters(spelling, leaves_what_is_not_of_elixir)
{
	static struct row rows[] = {
		{ "", "" },
		{ "lists:map/2", "" },
		{ "'Shop.Repo'", "" },
		{ "'Elixir'", "" },
		{ "'Elixir.'", "" },
		{ "'Elixir.shop'", "" },
		{ "'Elixir.Shop.'", "" },
		{ "'Elixir.Shop..Cart'", "" },
		{ "'Elixir.Shop Cart'", "" },
		{ "'Elixir.Shop", "" },
		{ "'Elixir.Shop'x", "" },
		{ "'Elixir.Shop\\'':a/1", "" },
		{ "{'Elixir.Shop',1}", "" },
		{ "erlang:'Elixir.Shop'/1", "" },
	};

	return cr_make_param_array(struct row, rows, sizeof(rows) / sizeof(*rows));
}

ParameterizedTest(struct row *row, spelling, leaves_what_is_not_of_elixir)
{
	char text[64];

	snprintf(text, sizeof(text), "%s", row->erlang);
	spelling_elixir(text);
	cr_expect_str_eq(text, row->erlang);
}

/* Two functions must not have one name: quotes stay where there are others inside, and escapes are kept. */
Test(spelling, keeps_quotes_that_cannot_be_changed)
{
	char both[] = "'Elixir.Shop':'a \"b\\''/0", open[] = "'Elixir.Shop':'a b",
	     escaped[] = "'Elixir.Shop':'\\e[31m'/0";

	spelling_elixir(both);
	spelling_elixir(open);
	spelling_elixir(escaped);
	cr_expect_str_eq(both, "Shop.'a \"b\\''/0");
	cr_expect_str_eq(open, "Shop.'a b");
	cr_expect_str_eq(escaped, "Shop.\"\\e[31m\"/0");
}

ParameterizedTestParameters(spelling, of_patterns_is_that_of_erlang)
{
	static struct row rows[] = {
		{ "Shop.Cart.add/2", "Elixir.Shop.Cart:add/2" },
		{ "Shop.Cart.valid?/1", "Elixir.Shop.Cart:valid?/1" },
		{ "Shop.Cart.ad*", "Elixir.Shop.Cart:ad*" },
		{ "Shop.Cart.*", "Elixir.Shop.Cart**" },
		{ "Shop.Ca*", "Elixir.Shop.Ca*" },
		{ "Shop*", "Elixir.Shop*" },
		{ "Elixir*", "" },
		{ "Elixir.Shop:add/2", "" },
		{ "ets:*", "" },
		{ "'Elixir.Shop':add/2", "" },
		{ "*", "" },
		{ "", "" },
	};

	return cr_make_param_array(struct row, rows, sizeof(rows) / sizeof(*rows));
}

/* Here the row's first text is that of Elixir. */
ParameterizedTest(struct row *row, spelling, of_patterns_is_that_of_erlang)
{
	char pattern[64] = "", shown[64];

	cr_expect_eq(spelling_pattern(row->erlang, pattern, sizeof(pattern)), *row->elixir != 0);
	cr_expect_str_eq(pattern, row->elixir);
	if (*row->elixir)
		cr_expect_str_eq(spelling_of_pattern(pattern, shown, sizeof(shown)), row->erlang);
}

Test(spelling, of_a_pattern_needs_room)
{
	char pattern[8];

	cr_expect_not(spelling_pattern("Shop.Cart.add/2", pattern, sizeof(pattern)));
}

Test(spelling, of_names_in_messages)
{
	char shown[64];

	cr_expect_str_eq(spelling_of_pattern("'Elixir.Shop.Cart':add/2", shown, sizeof(shown)), "Shop.Cart.add/2");
	cr_expect_str_eq(spelling_of_pattern("Elixir.Shop.Cart", shown, sizeof(shown)), "Shop.Cart");
	cr_expect_str_eq(spelling_of_pattern("Elixir*", shown, sizeof(shown)), "Elixir*");
	cr_expect_str_eq(spelling_of_pattern("ets:*", shown, sizeof(shown)), "ets:*");
}
