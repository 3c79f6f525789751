// SPDX-License-Identifier: BSD-2-Clause
#include "base/process/yield.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <unistd.h>

#include "base/duration.h"

/* Two pipes: who asks, and what the work waits for. */
static int asked[2], done[2], answers;

static void setup(void)
{
	cr_assert(!pipe(asked) && !pipe(done));
}

static void teardown(void)
{
	yield_set(-1, NULL, NULL);
}

TestSuite(breath, .init = setup, .fini = teardown);

static void ask(void)
{
	cr_assert(write(asked[1], "", 1) == 1);
}

static void answer(void *data)
{
	char byte;

	(void)data;
	answers++;
	/* Amid an answer nobody else is answered. */
	yield_now();
	cr_assert(read(asked[0], &byte, 1) == 1);
}

/* An answer, after which what was waited for is there. */
static void answer_and_end(void *data)
{
	answer(data);
	cr_assert(write(done[1], "", 1) == 1);
}

Test(breath, is_nothing_without_an_owner_or_a_question)
{
	yield_now();
	yield_set(asked[0], answer, NULL);
	yield_now();
	cr_assert_eq(answers, 0);
}

Test(breath, answers_who_asks_once)
{
	yield_set(asked[0], answer, NULL);
	ask();
	yield_now();
	yield_now();
	cr_assert_eq(answers, 1);
}

Test(breath, answers_while_it_waits)
{
	yield_set(asked[0], answer_and_end, NULL);
	ask();
	cr_assert(yield_wait(done[0], -1));
	cr_assert_eq(answers, 1);
}

Test(breath, waits_no_longer_than_it_may)
{
	uint64_t start = duration_now();

	yield_set(asked[0], answer, NULL);
	ask();
	cr_assert_not(yield_wait(done[0], 20));
	cr_assert_geq(duration_now() - start, 19 * NS_PER_MS);
	cr_assert_eq(answers, 1);
}

static void *take_elsewhere(void *data)
{
	yield_now();
	return data;
}

Test(breath, is_the_owners_alone)
{
	pthread_t thread;

	yield_set(asked[0], answer, NULL);
	ask();
	cr_assert(!pthread_create(&thread, NULL, take_elsewhere, NULL));
	pthread_join(thread, NULL);
	cr_assert_eq(answers, 0);
}
