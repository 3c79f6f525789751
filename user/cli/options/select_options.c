// SPDX-License-Identifier: BSD-2-Clause
#include "cli/options/select_options.h"

#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/option.h"
#include "cli/options/words.h"
#include "options.h"

const char *select_take_pids(pid_t *pids, size_t *count, const char *text)
{
	const char *at = text;

	do {
		char *end;
		long pid;

		errno = 0;
		pid = strtol(at, &end, 10);
		if (!isdigit((unsigned char)*at) || errno || pid <= 0 || pid > INT32_MAX || (*end && *end != ','))
			return "expected process numbers, such as 1234 or 1234,5678";
		if (*count == OPTIONS_MAX_PIDS)
			return "at most 256 processes can be named";
		pids[(*count)++] = (pid_t)pid;
		at = *end ? end + 1 : NULL;
	} while (at);
	return NULL;
}

const char *select_take_command(char ***command, const char *text)
{
	char **words = calloc(strlen(text) / 2 + 2, sizeof(*words));
	char *copy = strdup(text);

	if (copy && words && words_split(copy, words) > 0) {
		*command = words;
		return NULL;
	}
	text = copy && words ? "expected a command, with every quote closed" : option_no_memory;
	free(copy);
	free(words);
	return text;
}

const char *select_take_user(struct target_selector *selector, const char *text)
{
	const struct passwd *found;
	unsigned long long number;
	char *end;

	selector->user = text;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (isdigit((unsigned char)*text) && !*end) {
		selector->uid = (uid_t)number;
		return errno || number >= (uid_t)-1 ? "expected the name or number of a user" : NULL;
	}
	found = getpwnam(text);
	if (!found)
		return "this machine has no user of this name; a number is taken as it is";
	selector->uid = found->pw_uid;
	return NULL;
}
