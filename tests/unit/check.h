/* SPDX-License-Identifier: BSD-2-Clause */
/* What the unit tests share: Criterion, constant strings compared, chance that repeats itself. */
#ifndef ERLBPF_TESTS_CHECK_H
#define ERLBPF_TESTS_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Criterion compares strings that are not constant, and there is no NULL among them. */
static inline char *check_text(const char *text)
{
	return (char *)(uintptr_t)(text ? text : "(NULL)");
}

/* Nor does it compare pointers to what is constant. */
static inline void *check_pointer(const void *pointer)
{
	return (void *)(uintptr_t)pointer;
}

#define expect_text(actual, expected, ...) cr_expect(eq(str, check_text(actual), check_text(expected)), __VA_ARGS__)

/* xorshift64*: the same numbers on every run, from a state that is not 0. */
static inline uint64_t check_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

#endif
