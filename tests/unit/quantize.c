// SPDX-License-Identifier: BSD-2-Clause
/* The layout of DTrace's quantize(), to the column: what scripts that read it rely on. */
#include "out/quantize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "check.h"

#define HEADER "\n           value  ------------- Distribution ------------- count    \n"
#define BAR_40 "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
#define BAR_0 "                                        "

#define BUCKETS 8

static const int64_t values[BUCKETS] = { 0, 1, 2, 4, 8, 16, 32, 64 };

static void print(const uint64_t *counts, unsigned int count, char **text)
{
	size_t size = 0;
	FILE *to = open_memstream(text, &size);

	quantize_print(to, NULL, values, counts, count);
	fclose(to);
}

static const struct {
	const char *what;
	uint64_t counts[BUCKETS];
	const char *text;
} rows[] = {
	{ "one bucket in the middle",
	  { 0, 0, 0, 5 },
	  HEADER "               2 |" BAR_0 " 0        \n"
		 "               4 |" BAR_40 " 5        \n"
		 "               8 |" BAR_0 " 0        \n" },
	{ "the first bucket",
	  { 7 },
	  HEADER "               0 |" BAR_40 " 7        \n"
		 "               1 |" BAR_0 " 0        \n" },
	{ "the last bucket",
	  { 0, 0, 0, 0, 0, 0, 0, 1 },
	  HEADER "              32 |" BAR_0 " 0        \n"
		 "              64 |" BAR_40 " 1        \n" },
	{ "a hole",
	  { 0, 1, 0, 0, 3 },
	  HEADER "               0 |" BAR_0 " 0        \n"
		 "               1 |@@@@@@@@@@                               1        \n"
		 "               2 |" BAR_0 " 0        \n"
		 "               4 |" BAR_0 " 0        \n"
		 "               8 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3        \n"
		 "              16 |" BAR_0 " 0        \n" },
	{ "first and last",
	  { 1, 0, 0, 0, 0, 0, 0, 1 },
	  HEADER "               0 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
		 "               1 |" BAR_0 " 0        \n"
		 "               2 |" BAR_0 " 0        \n"
		 "               4 |" BAR_0 " 0        \n"
		 "               8 |" BAR_0 " 0        \n"
		 "              16 |" BAR_0 " 0        \n"
		 "              32 |" BAR_0 " 0        \n"
		 "              64 |@@@@@@@@@@@@@@@@@@@@                     1        \n" },
	{ "thirds",
	  { 0, 1, 1, 1 },
	  HEADER "               0 |" BAR_0 " 0        \n"
		 "               1 |@@@@@@@@@@@@@                            1        \n"
		 "               2 |@@@@@@@@@@@@@                            1        \n"
		 "               4 |@@@@@@@@@@@@@                            1        \n"
		 "               8 |" BAR_0 " 0        \n" },
	/* 40/80 rounds up to one character, 40/81 down to none. */
	{ "half a character",
	  { 0, 1, 79 },
	  HEADER "               0 |" BAR_0 " 0        \n"
		 "               1 |@                                        1        \n"
		 "               2 |" BAR_40 " 79       \n"
		 "               4 |" BAR_0 " 0        \n" },
	{ "less than half a character",
	  { 0, 1, 80 },
	  HEADER "               0 |" BAR_0 " 0        \n"
		 "               1 |" BAR_0 " 1        \n"
		 "               2 |" BAR_40 " 80       \n"
		 "               4 |" BAR_0 " 0        \n" },
	{ "a count wider than its column",
	  { 0, 123456789012 },
	  HEADER "               0 |" BAR_0 " 0        \n"
		 "               1 |" BAR_40 " 123456789012\n"
		 "               2 |" BAR_0 " 0        \n" },
	{ "counts that fill a number",
	  { 0, UINT64_MAX / 2, UINT64_MAX / 2 },
	  HEADER "               0 |" BAR_0 " 0        \n"
		 "               1 |@@@@@@@@@@@@@@@@@@@@                     9223372036854775807\n"
		 "               2 |@@@@@@@@@@@@@@@@@@@@                     9223372036854775807\n"
		 "               4 |" BAR_0 " 0        \n" },
	{ "nothing", { 0 }, "" },
};

Test(quantize, is_laid_out_as_dtrace_does_it)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		_cleanup_free_ char *text = NULL;

		print(rows[i].counts, BUCKETS, &text);
		expect_text(text, rows[i].text, "%s", rows[i].what);
	}
}

Test(quantize, a_single_bucket_stands_alone)
{
	uint64_t one = 3;
	_cleanup_free_ char *text = NULL;

	print(&one, 1, &text);
	expect_text(text, HEADER "               0 |" BAR_40 " 3        \n");
}

Test(quantize, nothing_is_printed_without_buckets)
{
	_cleanup_free_ char *text = NULL;

	print(NULL, 0, &text);
	expect_text(text, "");
}

static void expect_even_rows(const char *text)
{
	for (const char *line = strchr(text + 1, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
		size_t bar = strspn(line + 18, "@");

		if (strcspn(line, "\n") != 16 + 2 + 40 + 1 + 9 || bar + strspn(line + 18 + bar, " ") != 41)
			cr_fail("%s", line);
	}
}

Test(quantize, bars_are_between_0_and_40_characters_and_rows_have_one_length)
{
	uint64_t state = 40;

	for (int i = 0; i < 1000; i++) {
		uint64_t counts[BUCKETS];
		_cleanup_free_ char *text = NULL;

		for (int n = 0; n < BUCKETS; n++)
			counts[n] = 1 + check_random(&state) % 100000;
		print(counts, BUCKETS, &text);
		expect_even_rows(text);
	}
}
