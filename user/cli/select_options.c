// SPDX-License-Identifier: BSD-2-Clause
#include "cli/select_options.h"

#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>

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
