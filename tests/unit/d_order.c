// SPDX-License-Identifier: BSD-2-Clause
/* Records that come out of order are given in the order of their times (user/dtrace/session/order.c). */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "dtrace/session/order.h"

#define LAST UINT64_MAX

static void put(struct order *order, uint64_t time_ns, const char *text)
{
	cr_assert(eq(int, order_add(order, text, strlen(text) + 1, time_ns), 0));
}

static const char *next(struct order *order, uint64_t before)
{
	size_t size = 0;
	const char *text = order_next(order, before, &size);

	if (text)
		cr_assert(eq(sz, size, strlen(text) + 1));
	return text ? text : "none";
}

Test(d_order, the_oldest_comes_first_and_equals_as_they_came)
{
	struct order order = {};

	put(&order, 30, "c");
	put(&order, 10, "a");
	put(&order, 30, "d");
	put(&order, 20, "b");
	cr_expect_str_eq(next(&order, LAST), "a");
	cr_expect_str_eq(next(&order, LAST), "b");
	cr_expect_str_eq(next(&order, LAST), "c");
	cr_expect_str_eq(next(&order, LAST), "d");
	cr_expect_str_eq(next(&order, LAST), "none");
	order_free(&order);
}

Test(d_order, what_may_not_be_given_yet_waits)
{
	struct order order = {};

	put(&order, 20, "b");
	put(&order, 10, "a");
	cr_expect_str_eq(next(&order, 20), "a");
	cr_expect_str_eq(next(&order, 20), "none");
	put(&order, 15, "late");
	cr_expect_str_eq(next(&order, 20), "late");
	cr_expect_str_eq(next(&order, 21), "b");
	order_free(&order);
}

Test(d_order, many_records_with_one_that_waits_need_room_for_few)
{
	struct order order = {};

	put(&order, 1000000, "last");
	for (uint64_t i = 0; i < 100000; i++) {
		put(&order, i, "0123456789 0123456789 0123456789 0123456789");
		cr_assert(order_has(&order, i + 1));
		next(&order, i + 1);
	}
	cr_expect(lt(sz, order.room, 10000));
	cr_expect(lt(sz, order.entry_room, 1000));
	cr_expect_str_eq(next(&order, LAST), "last");
	order_free(&order);
}
