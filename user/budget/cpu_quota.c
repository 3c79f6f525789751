// SPDX-License-Identifier: BSD-2-Clause
#include "budget/cpu_quota.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT "/sys/fs/cgroup"

static bool read_text(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(text, 1, size - 1, file) : 0;

	if (file)
		fclose(file);
	text[length] = '\0';
	return length > 0;
}

/* "200000 100000": microseconds of CPU time in a period; "max 100000": no limit. */
static double read_quota(const char *folder)
{
	char path[PATH_MAX], text[64], *end;
	double quota, period;

	if (snprintf(path, sizeof(path), "%s/cpu.max", folder) >= (int)sizeof(path) ||
	    !read_text(path, text, sizeof(text)))
		return 0;
	quota = strtod(text, &end);
	period = strtod(end, NULL);
	return quota > 0 && period > 0 ? quota / period : 0;
}

double cpu_quota(pid_t pid)
{
	char path[64], text[4096], folder[PATH_MAX], *group, *slash;
	double least = 0;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	group = read_text(path, text, sizeof(text)) ? strstr(text, "0::/") : NULL;
	if (!group)
		return 0;
	group += strlen("0::");
	group[strcspn(group, "\n")] = '\0';
	if (strstr(group, "/..") || snprintf(folder, sizeof(folder), "%s%s", ROOT, group) >= (int)sizeof(folder))
		return 0;
	/* A limit of a group holds for all groups in it. */
	while (strlen(folder) > strlen(ROOT)) {
		double quota = read_quota(folder);

		if (quota > 0 && (least <= 0 || quota < least))
			least = quota;
		slash = strrchr(folder, '/');
		*slash = '\0';
	}
	return least;
}
