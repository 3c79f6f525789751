// SPDX-License-Identifier: BSD-2-Clause
/*
 * For each tracepoint with BPF support, BTF has a type btf_trace_NAME (include/trace/bpf_probe.h), and so a string with
 * that name: only strings are searched. BTF of a module has only the strings that the kernel's lacks. As in DTrace, the
 * module of a probe is the group of the tracepoint (sched, block, kvm), read from tracefs. Without tracefs, and for
 * tracepoints that are not events, it is vmlinux or the name of the module.
 */
#include "dtrace/provider/tracepoints.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"

#define FOLDER "/sys/kernel/btf"
#define PREFIX "btf_trace_"
#define MOST_SIZE (64u << 20)

static const char *const event_lists[] = { "/sys/kernel/tracing/available_events",
					   "/sys/kernel/debug/tracing/available_events" };

static int add(struct tracepoints *tracepoints, const char *module, const char *name)
{
	struct tracepoint *made;

	if (!array_has_room(tracepoints->all, tracepoints->count))
		return -ENOMEM;
	made = &tracepoints->all[tracepoints->count];
	*made = (struct tracepoint){ strdup(name), strdup(module) };
	tracepoints->count++;
	return made->name && made->module ? 0 : -ENOMEM;
}

int tracepoints_add(struct tracepoints *tracepoints, const char *module, const void *btf, size_t size)
{
	const struct btf_header *header = btf;
	const char *text, *end;
	size_t from;
	int err = 0;

	if (size < sizeof(*header) || header->magic != BTF_MAGIC)
		return 0;
	from = (size_t)header->hdr_len + header->str_off;
	if (from >= size || header->str_len > size - from)
		return 0;
	text = (const char *)btf + from;
	end = text + header->str_len;
	while (!err && text < end && memchr(text, '\0', (size_t)(end - text))) {
		if (!strncmp(text, PREFIX, strlen(PREFIX)))
			err = add(tracepoints, module, text + strlen(PREFIX));
		text += strlen(text) + 1;
	}
	return err;
}

/* sysfs has the size of the file. NULL: unreadable. */
static void *read_file(int folder, const char *name, size_t *size)
{
	_cleanup_close_ int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	off_t length = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	char *data = length > 0 && length <= MOST_SIZE ? malloc((size_t)length) : NULL;
	ssize_t got = 1;

	for (*size = 0; data && got > 0 && *size<(size_t)length; *size += got> 0 ? (size_t)got : 0)
		got = pread(fd, data + *size, (size_t)length - *size, (off_t)*size);
	return data;
}

static int read_module(struct tracepoints *tracepoints, int folder, const char *module)
{
	size_t size;
	_cleanup_free_ void *btf = read_file(folder, module, &size);

	return btf ? tracepoints_add(tracepoints, module, btf, size) : 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct tracepoint *)a)->name, ((const struct tracepoint *)b)->name);
}

static int read_all(struct tracepoints *tracepoints)
{
	DIR *folder = opendir(FOLDER);
	struct dirent *entry;
	int err = 0;

	while (!err && folder && (entry = readdir(folder))) {
		if (entry->d_name[0] != '.')
			err = read_module(tracepoints, dirfd(folder), entry->d_name);
	}
	if (folder)
		closedir(folder);
	if (tracepoints->count)
		qsort(tracepoints->all, tracepoints->count, sizeof(*tracepoints->all), compare);
	return err;
}

/* A line of the list: "sched:sched_switch". */
static int set_group(struct tracepoints *tracepoints, char *line)
{
	char *name = strchr(line, ':'), *group;
	struct tracepoint *tracepoint;

	line[strcspn(line, "\n")] = '\0';
	if (!name)
		return 0;
	*name++ = '\0';
	tracepoint = (struct tracepoint *)tracepoints_find(tracepoints, name);
	if (!tracepoint)
		return 0;
	group = strdup(line);
	if (!group)
		return -ENOMEM;
	free(tracepoint->module);
	tracepoint->module = group;
	return 0;
}

static int read_groups(struct tracepoints *tracepoints)
{
	_cleanup_file_ FILE *list = fopen(event_lists[0], "re");
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	int err = 0;

	if (!list)
		list = fopen(event_lists[1], "re");
	while (!err && list && getline(&line, &room, list) > 0)
		err = set_group(tracepoints, line);
	return err;
}

struct tracepoints *tracepoints_read(void)
{
	struct tracepoints *tracepoints = calloc(1, sizeof(*tracepoints));

	if (tracepoints && !read_all(tracepoints) && !read_groups(tracepoints))
		return tracepoints;
	tracepoints_free(tracepoints);
	return NULL;
}

void tracepoints_free(void *data)
{
	struct tracepoints *tracepoints = data;

	if (!tracepoints)
		return;
	for (size_t i = 0; i < tracepoints->count; i++) {
		free(tracepoints->all[i].name);
		free(tracepoints->all[i].module);
	}
	free(tracepoints->all);
	free(tracepoints);
}

const struct tracepoint *tracepoints_find(const struct tracepoints *tracepoints, const char *name)
{
	struct tracepoint wanted = { .name = (char *)name };

	return tracepoints->count
		       ? bsearch(&wanted, tracepoints->all, tracepoints->count, sizeof(*tracepoints->all), compare)
		       : NULL;
}
