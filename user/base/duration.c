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

	if (!(value >= 0 && value < 9e18))
		return -EINVAL;
	*ns = (uint64_t)llround(value);
	return 0;
}

/* strtod() also takes "inf", "0x1p3", exponents and signs, which nobody means here. */
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

int duration_parse(const char *text, uint64_t unit_ns, uint64_t *ns)
{
	const char *unit;
	double number;

	if (parse_number(text, &number, &unit))
		return -EINVAL;
	if (!*unit)
		return scale(number, unit_ns, ns);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (!strcmp(unit, units[i].name))
			return scale(number, units[i].ns, ns);
	}
	return -EINVAL;
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

const char *duration_format(uint64_t ns, char *buf)
{
	static const char *const names[] = { "ns", "us", "ms", "s" };
	double value = (double)ns;
	size_t i = 0;

	/* What would be rounded to 1000 is 1.00 of the next unit. */
	while (value >= 999.5 && i < 3) {
		value /= 1000;
		i++;
	}
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

/* How far the monotonic clock of our time namespace is ahead of the machine's, which the kernel's programs have. */
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
