// SPDX-License-Identifier: BSD-2-Clause
#include "target/mapped.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "target/reader/procfs.h"
#include "target/reader/reader.h"

/* "7f12-7f34 r-xp 00001000 08:01 1234   /usr/lib/libc.so.6". False: the mapping is not executable. */
static bool parse_line(char *line, struct mapped_code *code)
{
	unsigned int major, minor;
	char rights[5], *deleted;
	int at = 0;

	*code = (struct mapped_code){};
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &code->start, &code->end,
		   rights, &code->offset, &major, &minor, &code->inode, &at) != 7 ||
	    !at || rights[2] != 'x')
		return false;
	code->device = (uint64_t)major << 32 | minor;
	code->is_vdso = !strcmp(line + at, "[vdso]");
	if (!code->inode || line[at] != '/')
		return true;
	deleted = strstr(line + at, " (deleted)");
	if (deleted && !deleted[strlen(" (deleted)")])
		*deleted = '\0';
	code->path = line + at;
	return true;
}

int mapped_each(pid_t pid, int (*visit)(void *data, const struct mapped_code *code), void *data)
{
	_cleanup_free_ char *maps = procfs_maps(pid);
	char *rest = maps, *line;
	int err = maps ? 0 : -errno;

	while (!err && (line = strsep(&rest, "\n"))) {
		struct mapped_code code;

		if (parse_line(line, &code))
			err = visit(data, &code);
	}
	return err;
}

/*
 * Opens the mapping itself: its file may be deleted, replaced, or in another mount namespace. Without permission for
 * that, opens the path below the process's root: the process may replace the path by a link, which must not lead to our
 * files.
 */
int mapped_open(pid_t pid, const struct mapped_code *code, struct reader_identity *identity)
{
	char name[4096];
	int fd;

	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, code->start, code->end);
	fd = reader_open(pid, name, identity);
	if (fd >= 0)
		return fd;
	snprintf(name, sizeof(name), "root%s", code->path);
	return reader_open(pid, name, identity);
}

const char *mapped_name(const struct mapped_code *code)
{
	const char *slash = strrchr(code->path, '/');

	return slash ? slash + 1 : code->path;
}
