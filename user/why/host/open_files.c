// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source: proc(5). From Linux 6.2 on, the size of /proc/PID/fd is the number of entries; before, they are counted. A VM
 * reads its soft limit only at the start.
 */
#include "why/host/open_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "target/reader/procfs.h"
#include "why/source/source.h"

#define PATH_ROOM 64
#define MOST_LINKS 2000 /* of which the target is read */

/* Calls `visit` for at most `most` entries of the folder; NULL: only counts them. Returns their number. */
static uint64_t each_file(pid_t pid, uint64_t most, void (*visit)(struct signs *signs, const char *link),
			  struct signs *signs)
{
	char path[PATH_ROOM], link[SIGN_NAME];
	const struct dirent *entry;
	uint64_t count = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	folder = opendir(path);
	while (folder && count < most && (entry = readdir(folder))) {
		ssize_t length;

		if (entry->d_name[0] == '.')
			continue;
		count++;
		length = visit ? readlinkat(dirfd(folder), entry->d_name, link, sizeof(link) - 1) : 0;
		if (length > 0) {
			link[length] = '\0';
			visit(signs, link);
		}
	}
	if (folder)
		closedir(folder);
	return count;
}

uint64_t open_files_count(pid_t pid)
{
	char path[PATH_ROOM];
	struct stat stat;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	if (lstat(path, &stat))
		return 0;
	return stat.st_size ? (uint64_t)stat.st_size : each_file(pid, UINT64_MAX, NULL, NULL);
}

uint64_t open_files_limit(const char *limits)
{
	static const char word[] = "Max open files";
	const char *at = strstr(limits, word);

	/* "unlimited" is no number. */
	return at ? strtoull(at + strlen(word), NULL, 10) : 0;
}

static void count_kind(struct signs *signs, const char *link)
{
	if (!strncmp(link, "socket:", 7)) {
		signs->files.sockets++;
		return;
	}
	if (link[0] != '/') {
		signs->files.others++;
		return;
	}
	signs->files.files++;
	strcpy(signs->files.last, link);
}

static void open_files_finish(pid_t pid, uint64_t before, uint64_t elapsed_ns, struct signs *signs)
{
	_cleanup_free_ char *limits = procfs_read(pid, "limits", NULL);

	signs->files.limit = (struct sign_limit){
		.used = open_files_count(pid),
		.before = before,
		.most = limits ? open_files_limit(limits) : 0,
	};
	if (elapsed_ns)
		signs->files.limit.per_s = ((double)signs->files.limit.used - (double)before) * (double)NS_PER_S /
					   (double)elapsed_ns;
	each_file(pid, MOST_LINKS, count_kind, signs);
}

struct state {
	uint64_t before, began_ns;
};

static int source_open(void *state, struct why_node *node)
{
	struct state *s = state;

	s->before = open_files_count(node->target->pid);
	s->began_ns = duration_now();
	return 0;
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	const struct state *s = state;

	open_files_finish(node->target->pid, s->before, duration_now() - s->began_ns, signs);
}

const struct why_source open_files_source = {
	.size = sizeof(struct state),
	.open = source_open,
	.finish = source_finish,
};
