// SPDX-License-Identifier: BSD-2-Clause
/* One set of descriptors and timers. */
#include <stdlib.h>
#include "base/io/event_loop.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <errno.h>
#include <unistd.h>

#include "base/duration.h"

struct heard {
	struct event_loop *waiting;
	int fd, other;
	char text[16];
	size_t count;
};

static void hear(void *data, uint64_t times)
{
	struct heard *heard = data;

	(void)times;
	heard->count += read(heard->fd, heard->text + heard->count, 1) == 1;
}

static void hear_and_remove_both(void *data, uint64_t times)
{
	struct heard *heard = data;

	(void)times;
	heard->count++;
	event_loop_remove(heard->waiting, heard->fd);
	event_loop_remove(heard->waiting, heard->other);
}

static void stop(void *data, uint64_t times)
{
	struct heard *heard = data;

	(void)times;
	heard->count++;
	event_loop_stop(heard->waiting);
}

static void note(void *data, uint64_t times)
{
	char **at = data;

	*(*at)++ = times ? '1' : '0';
}

static void note_second(void *data, uint64_t times)
{
	char **at = data;

	(void)times;
	*(*at)++ = '2';
}

Test(waiting, calls_the_handler_of_what_is_readable)
{
	struct heard heard = { .waiting = event_loop_new() };
	int pipes[2];

	cr_assert_not(pipe(pipes));
	heard.fd = pipes[0];
	cr_assert_not(event_loop_add(heard.waiting, pipes[0], hear, &heard));
	cr_expect_eq(event_loop_turn(heard.waiting, 0), 0);
	cr_assert_eq(write(pipes[1], "ab", 2), 2);
	cr_expect_eq(event_loop_turn(heard.waiting, -1), 1);
	cr_expect_eq(event_loop_turn(heard.waiting, -1), 1);
	cr_expect_str_eq(heard.text, "ab");
	event_loop_free(heard.waiting);
}

Test(waiting, handles_timers_of_one_moment_in_the_order_in_which_they_were_added)
{
	struct event_loop *waiting = event_loop_new();
	uint64_t soon = duration_now() + 5 * NS_PER_MS;
	char order[3] = "", *at = order;

	cr_assert_not(event_loop_add_timer(waiting, soon, 0, note, &at));
	cr_assert_not(event_loop_add_timer(waiting, soon, 0, note_second, &at));
	usleep(20000);
	cr_expect_eq(event_loop_turn(waiting, -1), 2);
	cr_expect_str_eq(order, "12");
	cr_expect_eq(event_loop_turn(waiting, 0), 0);
	event_loop_free(waiting);
}

Test(waiting, does_not_call_what_an_earlier_handler_of_the_turn_has_removed)
{
	struct heard a = { .waiting = event_loop_new() }, b = a;
	int pipes[2][2];

	cr_assert_not(pipe(pipes[0]));
	cr_assert_not(pipe(pipes[1]));
	a.fd = b.other = pipes[0][0];
	b.fd = a.other = pipes[1][0];
	cr_assert_not(event_loop_add(a.waiting, a.fd, hear_and_remove_both, &a));
	cr_assert_not(event_loop_add(a.waiting, b.fd, hear_and_remove_both, &b));
	cr_assert_eq(write(pipes[0][1], "x", 1), 1);
	cr_assert_eq(write(pipes[1][1], "x", 1), 1);
	cr_expect_eq(event_loop_turn(a.waiting, -1), 1);
	cr_expect_eq(a.count + b.count, 1);
	cr_expect_eq(event_loop_turn(a.waiting, 0), 0);
	event_loop_free(a.waiting);
}

Test(waiting, calls_nobody_once_it_is_stopped)
{
	struct heard heard = { .waiting = event_loop_new() };
	uint64_t past = 1;

	cr_assert_not(event_loop_add_timer(heard.waiting, past, 0, stop, &heard));
	cr_assert_not(event_loop_add_timer(heard.waiting, past, 0, stop, &heard));
	cr_expect_eq(event_loop_turn(heard.waiting, -1), 1);
	cr_expect(event_loop_is_stopped(heard.waiting));
	cr_expect_eq(event_loop_turn(heard.waiting, -1), 0);
	cr_expect_eq(heard.count, 1);
	event_loop_free(heard.waiting);
}

Test(waiting, is_stopped_when_it_cannot_wait, .init = cr_redirect_stderr)
{
	struct event_loop *waiting = event_loop_new();

	cr_expect_eq(event_loop_error(waiting), 0);
	cr_assert_not(close(event_loop_fd(waiting)));
	cr_expect_eq(event_loop_turn(waiting, 0), -EBADF);
	cr_expect(event_loop_is_stopped(waiting));
	cr_expect_eq(event_loop_error(waiting), -EBADF);
	event_loop_free(waiting);
}

Test(waiting, is_readable_for_another_set_when_it_has_something_to_handle)
{
	struct event_loop *outer = event_loop_new(), *inner = event_loop_new();
	char order[3] = "", *at = order, *outer_at = order + 1;

	cr_assert_not(event_loop_add(outer, event_loop_fd(inner), note, &outer_at));
	cr_expect_eq(event_loop_turn(outer, 0), 0);
	cr_assert_not(event_loop_add_timer(inner, 1, 0, note, &at));
	cr_expect_eq(event_loop_turn(outer, -1), 1);
	cr_expect_eq(event_loop_turn(inner, 0), 1);
	cr_expect_str_eq(order, "11");
	event_loop_free(inner);
	event_loop_free(outer);
}

#define CALLS 60

struct times {
	uint64_t at[CALLS];
	size_t count;
};

static void note_time(void *data, uint64_t expired)
{
	struct times *times = data;

	cr_expect(expired == 1);
	if (times->count < CALLS)
		times->at[times->count++] = duration_now();
}

static int compare_gaps(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* So far apart that what a busy machine adds, and on which of its beats it wakes us, is little beside it. */
#define APART_NS (20 * NS_PER_MS)

Test(waiting, calls_a_random_timer_so_often_on_average_but_on_no_beat)
{
	struct event_loop *waiting = event_loop_new();
	static struct times times;
	uint64_t gaps[CALLS - 1], median;
	size_t others = 0;
	uint64_t began;

	cr_assert_not(event_loop_add_random_timer(waiting, APART_NS, note_time, &times));
	began = duration_now();
	while (times.count < CALLS && duration_now() - began < 30 * NS_PER_S)
		event_loop_turn(waiting, 100);
	cr_assert(times.count == CALLS);
	for (size_t i = 0; i < CALLS - 1; i++)
		gaps[i] = times.at[i + 1] - times.at[i];
	qsort(gaps, CALLS - 1, sizeof(*gaps), compare_gaps);
	median = gaps[CALLS / 2];
	for (size_t i = 0; i < CALLS - 1; i++)
		others += gaps[i] < median * 85 / 100 || gaps[i] > median * 115 / 100;
	/* Of a beat they were few; they are two thirds. */
	cr_expect(others > CALLS / 4, "%zu", others);
	cr_expect(times.at[CALLS - 1] - began > CALLS * APART_NS * 3 / 4, "%llu",
		  (unsigned long long)(times.at[CALLS - 1] - began));
	event_loop_free(waiting);
}

Test(waiting, calls_a_random_timer_more_seldom_when_it_is_told)
{
	struct event_loop *waiting = event_loop_new();
	static struct times times;
	uint64_t began = duration_now();

	cr_assert_not(event_loop_add_random_timer(waiting, NS_PER_MS, note_time, &times));
	event_loop_set_mean(waiting, note_time, &times, APART_NS);
	while (times.count < 10 && duration_now() - began < 30 * NS_PER_S)
		event_loop_turn(waiting, 100);
	cr_assert(times.count == 10);
	/* The first was set before; a gap is half of the mean at least. */
	cr_expect(times.at[9] - times.at[0] >= 9 * APART_NS / 2, "%llu",
		  (unsigned long long)(times.at[9] - times.at[0]));
	event_loop_free(waiting);
}
