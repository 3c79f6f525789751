// SPDX-License-Identifier: BSD-2-Clause
/* Arrays that grow. */
#include "base/array.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

Test(array, has_room_for_one_more_however_many_there_are)
{
	size_t *numbers = NULL;

	for (size_t i = 0; i < 1000; i++) {
		cr_assert(array_has_room(numbers, i));
		numbers[i] = i;
	}
	for (size_t i = 0; i < 1000; i++)
		cr_assert_eq(numbers[i], i);
	free(numbers);
}

Test(array, is_as_it_was_where_memory_is_short)
{
	char(*large)[1 << 20] = malloc(sizeof(*large)), (*before)[1 << 20] = large;

	cr_expect_not(array_has_room(large, (size_t)1 << 62));
	cr_expect_eq(large, before);
	free(large);
}

Test(array, with_room_of_its_own_grows_to_what_is_wanted_and_by_half_at_least)
{
	int *numbers = NULL;
	size_t room = 0;

	cr_assert(array_has_room_for(numbers, room, 10));
	cr_expect_eq(room, 10);
	cr_assert(array_has_room_for(numbers, room, 11));
	cr_expect_eq(room, 20);
	cr_assert(array_has_room_for(numbers, room, 5));
	cr_expect_eq(room, 20);
	cr_expect_not(array_has_room_for(numbers, room, SIZE_MAX));
	cr_expect_eq(room, 20);
	free(numbers);
}
