// SPDX-License-Identifier: BSD-2-Clause
/* Tables of names. */
#include "base/names.h"

#include <criterion/criterion.h>

#include "base/arena.h"

#define MANY 10000

Test(names, are_found_however_many_there_are)
{
	struct arena *arena = arena_new();
	struct names names = {};
	char *values = arena_alloc(arena, MANY);

	cr_expect_null(names_find(&names, 0, "n0"));
	for (int i = 0; i < MANY; i++)
		names_put(&names, arena, 0, arena_printf(arena, "n%d", i), values + i);
	for (int i = 0; i < MANY; i++)
		cr_assert_eq(names_find(&names, 0, arena_printf(arena, "n%d", i)), values + i);
	cr_expect_null(names_find(&names, 0, arena_printf(arena, "n%d", MANY)));
	arena_free(arena);
}

Test(names, of_different_kinds_keep_apart)
{
	struct arena *arena = arena_new();
	struct names names = {};
	int one, two;

	names_put(&names, arena, 1, "n", &one);
	names_put(&names, arena, 2, "n", &two);
	cr_expect_eq(names_find(&names, 1, "n"), &one);
	cr_expect_eq(names_find(&names, 2, "n"), &two);
	cr_expect_null(names_find(&names, 3, "n"));
	arena_free(arena);
}

Test(names, stand_for_what_was_put_last)
{
	struct arena *arena = arena_new();
	struct names names = {};
	int one, two;

	names_put(&names, arena, 0, "n", &one);
	names_put(&names, arena, 0, "n", &two);
	cr_expect_eq(names_find(&names, 0, "n"), &two);
	cr_expect_eq(names.used, 1);
	arena_free(arena);
}

Test(names, may_hold_any_bytes)
{
	struct arena *arena = arena_new();
	struct names names = {};
	int one, two, none;

	names_put_bytes(&names, arena, 0, "a\0b", 3, &one);
	names_put_bytes(&names, arena, 0, "a\0c", 3, &two);
	names_put_bytes(&names, arena, 0, "", 0, &none);
	cr_expect_eq(names_find_bytes(&names, 0, "a\0b", 3), &one);
	cr_expect_eq(names_find_bytes(&names, 0, "a\0c", 3), &two);
	cr_expect_eq(names_find(&names, 0, ""), &none);
	cr_expect_null(names_find(&names, 0, "a"));
	arena_free(arena);
}
