// SPDX-License-Identifier: BSD-2-Clause
/*
 * The limit of a group holds for all its members, and so do the limits of the groups above it.
 *
 * Source: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/cgroups.rst of the kernel, cgroups(7).
 */
#include "why/host/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "target/reader/procfs.h"

#define ROOT "/sys/fs/cgroup"
#define MOST_LEVELS 16

uint64_t cgroup_number(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtoull(at + strlen(word), NULL, 10) : 0;
}

static FILE *open_in(const char *folder, const char *file)
{
	char path[SIGN_NAME + 64];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	return fopen(path, "re");
}

bool cgroup_read(const char *folder, const char *file, char *text, size_t size)
{
	_cleanup_file_ FILE *from = open_in(folder, file);
	size_t n = from ? fread(text, 1, size - 1, from) : 0;

	text[n] = '\0';
	return n > 0;
}

static bool has_controller(const char *list, size_t length, const char *controller)
{
	while (length) {
		size_t word = strcspn(list, ",:");

		if (word == strlen(controller) && !strncmp(list, controller, word))
			return true;
		if (word >= length)
			return false;
		list += word + 1;
		length -= word + 1;
	}
	return false;
}

bool cgroup_path(const char *text, const char *controller, char *path, size_t size, bool *is_unified)
{
	bool is_found = false;

	for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *list = strchr(line, ':'), *at = list ? strchr(list + 1, ':') : NULL;
		bool is_other;

		if (!at)
			return is_found;
		/* "0::/path" is version 2, which names no controllers. Version 1 has "1:cpu,cpuacct:/path". */
		is_other = at != list + 1;
		if (is_other && !has_controller(list + 1, (size_t)(at - list - 1), controller))
			continue;
		if (is_found && !is_other)
			continue;
		snprintf(path, size, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
		*is_unified = !is_other;
		is_found = true;
	}
	return is_found;
}

bool cgroup_find(pid_t pid, const char *controller, bool (*limits)(void *data, const char *folder), void *data,
		 char folder[SIGN_NAME])
{
	_cleanup_free_ char *text = procfs_read(pid, "cgroup", NULL);
	char path[SIGN_NAME / 2];
	bool is_unified;

	if (!text || !cgroup_path(text, controller, path, sizeof(path), &is_unified))
		return false;
	for (int level = 0; level < MOST_LEVELS && path[0] == '/'; level++) {
		snprintf(folder, SIGN_NAME, "%s%s%s%s", ROOT, is_unified ? "" : "/", is_unified ? "" : controller,
			 path);
		if (limits(data, folder))
			return true;
		*strrchr(path, '/') = '\0';
	}
	return false;
}
