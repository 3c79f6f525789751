// SPDX-License-Identifier: BSD-2-Clause
/* Calls of Erlang functions that the VM has counted. */
#include "results/called.h"

#include <stdlib.h>

#include "check.h"

static struct called_function functions[] = {
	{ .os_id = 1, .id = 10, .calls = 400, .looked = 100 },
	{ .os_id = 1, .id = 20, .calls = 50, .looked = 50 },
	{ .os_id = 1, .id = 30, .calls = 0, .looked = 0 },
	{ .os_id = 2, .id = 10, .calls = 1000, .looked = 50 },
};

static const struct called called = { .functions = functions, .count = 4 };

Test(called, functions_that_were_called_are_rows)
{
	struct counter_row *rows;
	size_t count;

	cr_assert(zero(int, called_rows(&called, &rows, &count)));
	cr_assert(eq(sz, count, 3));
	cr_assert(eq(u64, rows[2].counter.count, 1000));
	cr_assert(eq(u32, rows[2].key.os_id, 2));
	cr_assert(eq(u64, called_calls(&called), 1450));
	free(rows);
}
