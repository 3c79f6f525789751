// SPDX-License-Identifier: BSD-2-Clause
#include "cli/list_app.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"
#include "probe/catalogue.h"

#define PREFIX "app:"

bool list_app_may_mean(const char *glob)
{
	return probe_app_name(glob) || !strcmp(glob, "*") || (strchr(glob, ':') && *glob == '*');
}

bool list_app_means(const char *glob, const char *name, char full[LIST_APP_NAME])
{
	snprintf(full, LIST_APP_NAME, PREFIX "%s", name);
	if (!list_app_may_mean(glob))
		return false;
	return !fnmatch(glob, strchr(glob, ':') ? full : full + strlen(PREFIX), 0);
}

static void print_name(const char *full)
{
	_cleanup_free_ char *safe = text_for_terminal(full);

	if (safe)
		printf("%-32s %-8s %5s  %s\n", safe, "app", "-", "the application's code");
	else
		log_out_of_memory();
}

size_t list_app_print(const struct declared *declared, const char *glob)
{
	char full[LIST_APP_NAME];
	size_t count = 0;

	for (size_t i = 0; i < declared->count; i++) {
		if (!list_app_means(glob, declared->names[i], full))
			continue;
		print_name(full);
		count++;
	}
	if (declared->left_out && list_app_may_mean(glob))
		printf("(%zu more names of the application's code are not shown)\n", declared->left_out);
	return count;
}

void list_app_print_none(const char *glob)
{
	char meant[PROBE_GLOB_SIZE];

	probe_nearest(glob, NULL, NULL, meant);
	pr_err("no node has a probe of its own code that matches \"%s\"; %s%s%snames that are not declared are seen "
	       "when they fire: `erlbpf app`",
	       glob, *meant ? "did you mean \"" : "", meant, *meant ? "\"? " : "");
}
