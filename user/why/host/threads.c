// SPDX-License-Identifier: BSD-2-Clause
#include "why/host/threads.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static FILE *open_comm(pid_t pid, const char *tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/comm", pid, tid);
	return fopen(path, "re");
}

static void read_name(pid_t pid, const char *tid, char name[THREAD_NAME_SIZE])
{
	_cleanup_file_ FILE *file = open_comm(pid, tid);

	if (!file || !fgets(name, THREAD_NAME_SIZE, file))
		name[0] = '\0';
	name[strcspn(name, "\n")] = '\0';
}

static int add(struct threads *threads, pid_t pid, const char *tid)
{
	struct thread *thread;

	/* Doubles the room when it is full. */
	if (!(threads->count & (threads->count - 1))) {
		size_t room = threads->count ? 2 * threads->count : 1;
		struct thread *grown = realloc(threads->all, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		threads->all = grown;
	}
	thread = &threads->all[threads->count++];
	thread->tid = (pid_t)strtol(tid, NULL, 10);
	read_name(pid, tid, thread->name);
	return 0;
}

int threads_read(pid_t pid, struct threads *threads)
{
	_cleanup_dir_ DIR *dir = NULL;
	const struct dirent *entry;
	char path[64];
	int err = 0;

	*threads = (struct threads){};
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (!err && dir && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			err = add(threads, pid, entry->d_name);
	}
	if (err)
		threads_free(threads);
	return err;
}

void threads_free(struct threads *threads)
{
	free(threads->all);
	*threads = (struct threads){};
}
