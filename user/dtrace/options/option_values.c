// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/options/option_table.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/duration.h"

bool option_number(const char *text, const char **end, uint64_t *number)
{
	char *after;

	/* strtoull() accepts "-1" as a large number. */
	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*number = strtoull(text, &after, 0);
	*end = after;
	return !errno && *number <= INT64_MAX;
}

bool option_size(const char *text, uint64_t *size)
{
	static const char letters[] = "kmgt";
	const char *end, *letter;
	unsigned int shift;

	if (!option_number(text, &end, size))
		return false;
	if (!*end)
		return true;
	letter = strchr(letters, tolower((unsigned char)*end));
	if (!letter || end[1])
		return false;
	shift = 10 * (unsigned int)(letter - letters + 1);
	if (*size > (uint64_t)INT64_MAX >> shift)
		return false;
	*size <<= shift;
	return true;
}

bool option_rate(const char *text, uint64_t *ns)
{
	const char *unit;
	uint64_t number, unit_ns = 1;

	if (!option_number(text, &unit, &number))
		return false;
	if (!strcasecmp(unit, "hz")) {
		*ns = number ? NS_PER_S / number : 0;
		return true;
	}
	if (*unit && !duration_d_unit(unit, &unit_ns))
		return false;
	return !__builtin_mul_overflow(number, unit_ns, ns) && *ns <= INT64_MAX;
}

int option_yes(const char *text)
{
	static const char *const yes[] = { "yes", "enable", "enabled", "true", "on", "set" };
	static const char *const no[] = { "no", "disable", "disabled", "false", "off", "unset", "" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
		if (!strcasecmp(text, yes[i]))
			return 1;
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++) {
		if (!strcasecmp(text, no[i]))
			return 0;
	}
	return -1;
}

int option_word(const char *text, const char *words)
{
	size_t size = strlen(text);

	for (int i = 0; *words; i++) {
		size_t n = strcspn(words, " ");

		if (n == size && !strncasecmp(words, text, n))
			return i;
		words += n + (words[n] == ' ');
	}
	return -1;
}
