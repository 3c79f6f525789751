// SPDX-License-Identifier: BSD-2-Clause
#include "base/duration.h"

#include <errno.h>

#include "check.h"

static const struct {
	const char *text;
	uint64_t unit_ns;
	uint64_t ns;
} good[] = {
	{ "0", NS_PER_S, 0 },
	{ "0ns", 1, 0 },
	{ "1ns", NS_PER_S, 1 },
	{ "250us", 1, 250000 },
	{ "1ms", 1, 1000000 },
	{ "1.5ms", 1, 1500000 },
	{ "0.25us", 1, 250 },
	{ ".5s", 1, 500000000 },
	{ "5.s", 1, 5000000000 },
	{ "1s", 1, 1000000000 },
	{ "2sec", 1, 2000000000 },
	{ "2m", 1, 120000000000 },
	{ "3min", 1, 180000000000 },
	{ "1h", 1, 3600000000000 },
	{ "1d", 1, 86400000000000 },
	{ "10", NS_PER_S, 10000000000 },
	{ "10", NS_PER_MS, 10000000 },
	{ "10", 1, 10 },
	{ "1.5", NS_PER_S, 1500000000 },
	{ "0.0000000014s", 1, 1 },
	{ "0.4ns", 1, 0 },
	{ "0.6ns", 1, 1 },
	{ "007ms", 1, 7000000 },
	{ "4000000000s", 1, 4000000000000000000 },
	{ "1000000000000", 1, 1000000000000 },
	{ "1m30s", NS_PER_MS, 90000000000 },
	{ "15h41m", 1, 56460000000000 },
	{ "1d2h3m4s5ms", 1, 93784005000000 },
	{ "1.5h30min", 1, 7200000000000 },
};

Test(duration, parses_every_unit_fractions_and_bare_numbers)
{
	for (size_t i = 0; i < COUNT(good); i++) {
		uint64_t ns = ~0ULL;

		cr_expect(eq(int, duration_parse(good[i].text, good[i].unit_ns, &ns), 0), "\"%s\"", good[i].text);
		cr_expect(eq(u64, ns, good[i].ns), "\"%s\"", good[i].text);
	}
}

static const char *const bad[] = {
	"",
	" ",
	"-1",
	"-1s",
	"+1",
	"+1s",
	"1x",
	"1 s",
	" 1s",
	"1s ",
	"1S",
	"1MS",
	"1mss",
	"1nsx",
	"s",
	"ms",
	".",
	".s",
	"..",
	"1..2",
	"1.2.3",
	"1.2.3s",
	"inf",
	"infinity",
	"nan",
	"0x10",
	"0x1p3",
	"1e3",
	"1e3s",
	"1e",
	"1,5",
	"1_000",
	"1s2",
	"1m30",
	"1m30m",
	"30s1m",
	"1m 30s",
	"1m30x",
	"1m-30s",
	"104166d9000000000s",
	"0x",
	"9000000001s",
	"99999999999999999999",
	"104167d",
	"18446744073709551616ns",
	"1000000000000000000000000000000000000",
	"0000000000000000000000000000000000001",
	"1\n",
	"1s\n",
	"\xc2\xb5s",
	"1\xc2\xb5s",
};

Test(duration, refuses_what_is_no_length_of_time)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		uint64_t ns = 42;

		cr_expect(eq(int, duration_parse(bad[i], NS_PER_S, &ns), -EINVAL), "\"%s\"", bad[i]);
		cr_expect(eq(u64, ns, 42), "\"%s\" changed the result", bad[i]);
	}
}

static const struct {
	uint64_t ns;
	const char *text;
} shown[] = {
	{ 0, "0ns" },
	{ 1, "1ns" },
	{ 999, "999ns" },
	{ 1000, "1.00us" },
	{ 1250, "1.25us" },
	{ 9994, "9.99us" },
	{ 9996, "10.0us" },
	{ 12345, "12.3us" },
	{ 99900, "99.9us" },
	{ 99960, "100us" },
	{ 123456, "123us" },
	{ 1000000, "1.00ms" },
	{ 1500000, "1.50ms" },
	{ 25000000, "25.0ms" },
	{ 250000000, "250ms" },
	{ 1000000000, "1.00s" },
	{ 61500000000, "61.5s" },
	{ 99940000000, "99.9s" },
	{ 100000000000, "1m40s" },
	{ 120000000000, "2m" },
	{ 200400000000, "3m20s" },
	{ 3599000000000, "59m59s" },
	{ 3600000000000, "1h" },
	{ 56498000000000, "15h42m" },
	{ 86340000000000, "23h59m" },
	{ 86400000000000, "1d" },
	{ 183600000000000, "2d3h" },
	{ UINT64_MAX, "213504d" },
};

Test(duration, formats_with_three_digits_or_two_units)
{
	char buf[32];

	for (size_t i = 0; i < COUNT(shown); i++)
		expect_text(duration_format(shown[i].ns, buf), shown[i].text, "%llu", (unsigned long long)shown[i].ns);
}

static const struct {
	uint64_t ns;
	const char *text;
} carried[] = {
	{ 999499, "999us" },	 { 999999, "1.00ms" },	   { 999500000, "1.00s" },
	{ 999999999, "1.00s" },	 { 99960000000, "1m40s" }, { 119600000000, "2m" },
	{ 3599600000000, "1h" }, { 86399000000000, "1d" }, { 172700000000000, "2d" },
};

Test(duration, carries_into_the_next_unit_when_rounding_up)
{
	char buf[32];

	for (size_t i = 0; i < COUNT(carried); i++)
		expect_text(duration_format(carried[i].ns, buf), carried[i].text, "%llu",
			    (unsigned long long)carried[i].ns);
}

/* Of a day, an hour is 4 percent. */
Test(duration, a_shown_duration_parses_to_nearly_the_same)
{
	for (uint64_t ns = 1; ns < 1ULL << 62; ns += ns / 7 + 1) {
		uint64_t back = 0, error;
		char buf[32];

		cr_expect(eq(int, duration_parse(duration_format(ns, buf), 1, &back), 0), "%s", buf);
		error = back > ns ? back - ns : ns - back;
		cr_expect(le(u64, error, ns / (ns < 3600 * NS_PER_S ? 200 : 48)), "%llu shown as %s",
			  (unsigned long long)ns, buf);
	}
}

Test(duration, the_clock_goes_forward_and_the_wall_offset_is_since_1970)
{
	uint64_t before = duration_now(), after = duration_now();
	uint64_t wall = after + duration_wall_offset();

	cr_expect(le(u64, before, after));
	/* 2020 to 2100. */
	cr_expect(gt(u64, wall, 1577836800 * NS_PER_S));
	cr_expect(lt(u64, wall, 4102444800 * NS_PER_S));
}
