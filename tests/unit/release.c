// SPDX-License-Identifier: BSD-2-Clause
/* How BPF programs are let go. */
#include "load/release.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <errno.h>

struct course {
	size_t closed, calls, largest;
};

static int pauses;

static void pause_here(void)
{
	pauses++;
}

static void close_some(void *data, size_t first, size_t count)
{
	struct course *course = data;

	cr_expect_eq(first, course->closed, "each follows the one before");
	course->closed += count;
	course->calls++;
	course->largest = count > course->largest ? count : course->largest;
}

struct row {
	size_t count, calls;
	int pauses;
};

ParameterizedTestParameters(release, closes_a_batch_at_a_time_and_pauses_between)
{
	static struct row rows[] = {
		{ 0, 0, 0 },   { 1, 1, 0 },   { 127, 1, 0 }, { 128, 1, 0 },
		{ 129, 2, 1 }, { 256, 2, 1 }, { 257, 3, 2 }, { 896, 7, 6 },
	};

	return cr_make_param_array(struct row, rows, sizeof(rows) / sizeof(*rows));
}

ParameterizedTest(struct row *r, release, closes_a_batch_at_a_time_and_pauses_between)
{
	struct course course = {};

	release_in_batches(r->count, close_some, pause_here, &course);
	cr_expect_eq(course.closed, r->count);
	cr_expect_eq(course.calls, r->calls, "%zu calls, not %zu", course.calls, r->calls);
	cr_expect_eq(pauses, r->pauses, "%d pauses, not %d", pauses, r->pauses);
	cr_expect(course.largest <= RELEASE_BATCH);
}

Test(release, a_process_may_have_fewer_programs_than_the_kernel_can_free_at_once)
{
	for (int i = 0; i < RELEASE_MOST_PROGRAMS; i++)
		cr_assert_eq(release_reserve(), 0);
	cr_expect_eq(release_reserve(), -EDQUOT);
	release_cancel();
	cr_expect_eq(release_reserve(), 0, "what was given back can be had again");
	cr_expect(RELEASE_MOST_PROGRAMS < 1024 && RELEASE_MOST_OWN < RELEASE_MOST_PROGRAMS);
}
