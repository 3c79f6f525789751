// SPDX-License-Identifier: BSD-2-Clause
#include "why/threads.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define NAME_SIZE 17

static FILE *open_comm(pid_t pid, const char *tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/comm", pid, tid);
	return fopen(path, "re");
}

static void read_name(pid_t pid, const char *tid, char name[NAME_SIZE])
{
	_cleanup_file_ FILE *file = open_comm(pid, tid);

	if (!file || !fgets(name, NAME_SIZE, file))
		name[0] = '\0';
	name[strcspn(name, "\n")] = '\0';
}

void threads_each(pid_t pid, void (*visit)(void *data, pid_t tid, const char *name), void *data)
{
	char path[64], name[NAME_SIZE];
	const struct dirent *entry;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	threads = opendir(path);
	while (threads && (entry = readdir(threads))) {
		if (entry->d_name[0] == '.')
			continue;
		read_name(pid, entry->d_name, name);
		visit(data, (pid_t)strtol(entry->d_name, NULL, 10), name);
	}
	if (threads)
		closedir(threads);
}
