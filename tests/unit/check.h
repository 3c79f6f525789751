/* SPDX-License-Identifier: BSD-2-Clause */
/* What all unit tests share: Criterion, and comparison of constant strings. */
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

#define expect_text(actual, expected, ...)                                                         \
	cr_expect(eq(str, check_text(actual), check_text(expected)), __VA_ARGS__)

#endif
