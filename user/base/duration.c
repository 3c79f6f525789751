// SPDX-License-Identifier: BSD-2-Clause
#include "base/duration.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/cleanup.h"

#define MOST_NS 9000000000000000000ULL

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "ns", 1 },
	{ "us", NS_PER_US },
	{ "ms", NS_PER_MS },
	{ "s", NS_PER_S },
	{ "sec", NS_PER_S },
	{ "m", 60 * NS_PER_S },
	{ "min", 60 * NS_PER_S },
	{ "h", 3600 * NS_PER_S },
	{ "d", 86400 * NS_PER_S },
};

static int scale(double number, uint64_t unit_ns, uint64_t *ns)
{
	double value = number * (double)unit_ns;

	if (!(value >= 0 && value < (double)MOST_NS))
		return -EINVAL;
	*ns = (uint64_t)llround(value);
	return 0;
}

/* strtod() also accepts "inf", "0x1p3", exponents and signs, which durations do not have. */
static int parse_number(const char *text, double *number, const char **unit)
{
	char digits[32];
	size_t length = strspn(text, "0123456789.");
	char *end;

	if (!length || length >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, text, length);
	digits[length] = '\0';
	*number = strtod(digits, &end);
	*unit = text + length;
	return *end ? -EINVAL : 0;
}

/* The unit at the start of the text, and the rest in *end. 0: no unit. */
static uint64_t parse_unit(const char *text, const char **end)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz");

	*end = text + length;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strlen(units[i].name) == length && !strncmp(text, units[i].name, length))
			return units[i].ns;
	}
	return 0;
}

/* "15h41m": each unit is smaller than the previous one. */
static int parse_parts(const char *text, uint64_t *ns)
{
	uint64_t before_ns = UINT64_MAX, sum = 0, part, unit_ns;
	double number;

	while (*text) {
		if (parse_number(text, &number, &text))
			return -EINVAL;
		unit_ns = parse_unit(text, &text);
		if (!unit_ns || unit_ns >= before_ns || scale(number, unit_ns, &part) || part > MOST_NS - sum)
			return -EINVAL;
		sum += part;
		before_ns = unit_ns;
	}
	*ns = sum;
	return 0;
}

int duration_parse(const char *text, uint64_t unit_ns, uint64_t *ns)
{
	const char *unit;
	double number;

	if (parse_number(text, &number, &unit))
		return -EINVAL;
	return *unit ? parse_parts(text, ns) : scale(number, unit_ns, ns);
}

bool duration_d_unit(const char *name, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} d_units[] = {
		{ "ns", 1 },
		{ "nsec", 1 },
		{ "us", NS_PER_US },
		{ "usec", NS_PER_US },
		{ "ms", NS_PER_MS },
		{ "msec", NS_PER_MS },
		{ "s", NS_PER_S },
		{ "sec", NS_PER_S },
		{ "m", 60 * NS_PER_S },
		{ "min", 60 * NS_PER_S },
		{ "h", 3600 * NS_PER_S },
		{ "hour", 3600 * NS_PER_S },
		{ "d", 86400 * NS_PER_S },
		{ "day", 86400 * NS_PER_S },
	};

	for (size_t i = 0; i < sizeof(d_units) / sizeof(*d_units); i++) {
		if (strcasecmp(name, d_units[i].name))
			continue;
		*ns = d_units[i].ns;
		return true;
	}
	return false;
}

static uint64_t rounded(uint64_t ns, uint64_t unit_ns)
{
	return ns / unit_ns + (ns % unit_ns >= unit_ns / 2);
}

/* Two units; the smaller one is rounded, and omitted if it is 0. */
static const char *format_long(uint64_t ns, char *buf)
{
	static const struct {
		uint64_t ns, ratio, most; /* ns of the smaller unit, its number in the larger one; from `most` on, a
					     larger pair is used */
		char large, small;
	} pairs[] = {
		{ NS_PER_S, 60, 3600, 'm', 's' },
		{ 60 * NS_PER_S, 60, 1440, 'h', 'm' },
		{ 3600 * NS_PER_S, 24, UINT64_MAX, 'd', 'h' },
	};
	unsigned long long whole;
	size_t i = 0;
	int used;

	while (rounded(ns, pairs[i].ns) >= pairs[i].most)
		i++;
	whole = rounded(ns, pairs[i].ns);
	used = snprintf(buf, 32, "%llu%c", whole / pairs[i].ratio, pairs[i].large);
	if (whole % pairs[i].ratio)
		snprintf(buf + used, 32 - (size_t)used, "%llu%c", whole % pairs[i].ratio, pairs[i].small);
	return buf;
}

const char *duration_format(uint64_t ns, char *buf)
{
	static const char *const names[] = { "ns", "us", "ms", "s" };
	double value = (double)ns;
	size_t i = 0;

	/* A value that rounds to 1000 is 1.00 of the next unit. */
	while (value >= 999.5 && i < 3) {
		value /= 1000;
		i++;
	}
	if (i == 3 && value >= 99.95)
		return format_long(ns, buf);
	if (i == 0 || value >= 99.95)
		snprintf(buf, 32, "%.0f%s", value, names[i]);
	else
		snprintf(buf, 32, value >= 9.995 ? "%.1f%s" : "%.2f%s", value, names[i]);
	return buf;
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* The offset of CLOCK_MONOTONIC in our time namespace. BPF programs use the machine's clock. */
static uint64_t read_lead(void)
{
	_cleanup_file_ FILE *offsets = fopen("/proc/self/timens_offsets", "re");
	long long seconds = 0, ns = 0;

	if (!offsets || fscanf(offsets, "monotonic %lld %lld", &seconds, &ns) != 2)
		return 0;
	return (uint64_t)seconds * NS_PER_S + (uint64_t)ns;
}

uint64_t duration_to_clock(uint64_t ns)
{
	static uint64_t lead;
	static bool is_known;

	if (!__atomic_load_n(&is_known, __ATOMIC_ACQUIRE)) {
		lead = read_lead();
		__atomic_store_n(&is_known, true, __ATOMIC_RELEASE);
	}
	return ns + lead;
}

uint64_t duration_now(void)
{
	return read_clock(CLOCK_MONOTONIC) - duration_to_clock(0);
}

uint64_t duration_wall_offset(void)
{
	return read_clock(CLOCK_REALTIME) - duration_now();
}
