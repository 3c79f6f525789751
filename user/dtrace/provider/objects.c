// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/provider/objects.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "target/procfs.h"

#define MAX_OBJECTS 4096

/* A piece of a process's memory that holds code. */
struct range {
	uint64_t start, end, offset;
	struct mapped_object *object; /* NULL: of no file */
};

struct objects {
	pid_t pid;
	struct mapped_object **objects;
	size_t count;
	struct range *ranges; /* by address, as the kernel lists them */
	size_t range_count;
};

void object_free(struct mapped_object *object)
{
	if (!object->is_borrowed)
		image_free(object->image);
	if (object->fd >= 0)
		close(object->fd);
	free(object->functions);
	free(object->name);
	free(object);
}

void objects_free(struct objects *objects)
{
	if (!objects)
		return;
	for (size_t i = 0; i < objects->count; i++)
		object_free(objects->objects[i]);
	free(objects->objects);
	free(objects->ranges);
	free(objects);
}

/*
 * The mapping itself is opened: its file may be deleted, replaced, or in another mount namespace. Who may not do that
 * takes its path, of which a link may be made meanwhile: in the process's own root, or it leads to our files.
 */
static int open_mapping(pid_t pid, const struct range *range, const char *path, struct mapped_object *object)
{
	char name[4096];
	int fd;

	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, range->start, range->end);
	fd = reader_open(pid, name, &object->identity);
	if (fd >= 0)
		return fd;
	snprintf(name, sizeof(name), "root%s", path);
	return reader_open(pid, name, &object->identity);
}

static struct mapped_object *find(const struct objects *objects, uint64_t device, uint64_t inode)
{
	for (size_t i = objects->count; i > 0; i--) {
		struct mapped_object *object = objects->objects[i - 1];

		if (object->device == device && object->inode == inode)
			return object;
	}
	return NULL;
}

static bool is_executable_of(pid_t pid, const struct mapped_object *object)
{
	struct reader_identity exe;

	return object->fd >= 0 && !reader_identify(pid, "exe", &exe) && reader_is_same(&exe, &object->identity);
}

static struct mapped_object *add(struct objects *objects, const struct range *range, uint64_t device, uint64_t inode,
				 const char *path)
{
	const char *slash = strrchr(path, '/');
	struct mapped_object *object;

	if (!array_has_room(objects->objects, objects->count))
		return NULL;
	object = calloc(1, sizeof(*object));
	if (!object)
		return NULL;
	object->name = strdup(slash ? slash + 1 : path);
	object->device = device;
	object->inode = inode;
	object->pid = objects->pid;
	object->fd = open_mapping(objects->pid, range, path, object);
	object->is_main = is_executable_of(objects->pid, object);
	if (!object->name) {
		object_free(object);
		return NULL;
	}
	objects->objects[objects->count++] = object;
	return object;
}

static int add_range(struct objects *objects, const struct range *range)
{
	if (!array_has_room(objects->ranges, objects->range_count))
		return -ENOMEM;
	objects->ranges[objects->range_count++] = *range;
	return 0;
}

/* "7f12-7f34 r-xp 00001000 08:01 1234   /usr/lib/libc.so.6" */
static int read_line(struct objects *objects, char *line)
{
	struct range range = {};
	unsigned int major, minor;
	uint64_t inode;
	char rights[5];
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &range.start, &range.end,
		   rights, &range.offset, &major, &minor, &inode, &at) != 7 ||
	    !at || rights[2] != 'x')
		return 0;
	if (inode && line[at] == '/' && objects->count < MAX_OBJECTS) {
		char *deleted = strstr(line + at, " (deleted)");
		uint64_t device = (uint64_t)major << 32 | minor;

		if (deleted && !deleted[strlen(" (deleted)")])
			*deleted = '\0';
		range.object = find(objects, device, inode);
		if (!range.object)
			range.object = add(objects, &range, device, inode, line + at);
		if (!range.object)
			return -ENOMEM;
	}
	return add_range(objects, &range);
}

static int read_maps(struct objects *objects)
{
	_cleanup_free_ char *maps = procfs_maps(objects->pid);
	char *rest = maps, *line;
	int err = maps ? 0 : -errno;

	while (!err && (line = strsep(&rest, "\n")))
		err = read_line(objects, line);
	return err;
}

struct objects *objects_open(pid_t pid)
{
	struct objects *objects = calloc(1, sizeof(*objects));
	int err;

	if (!objects)
		return NULL;
	objects->pid = pid;
	err = read_maps(objects);
	if (!err)
		return objects;
	objects_free(objects);
	errno = -err;
	return NULL;
}

size_t objects_count(const struct objects *objects)
{
	return objects->count;
}

struct mapped_object *objects_get(const struct objects *objects, size_t i)
{
	return objects->objects[i];
}

static const struct range *range_at(const struct objects *objects, uint64_t address)
{
	for (size_t i = 0; i < objects->range_count; i++) {
		const struct range *range = &objects->ranges[i];

		if (address >= range->start && address < range->end)
			return range;
	}
	return NULL;
}

struct mapped_object *objects_at(const struct objects *objects, uint64_t address, uint64_t *offset)
{
	const struct range *range = range_at(objects, address);

	if (!range || !range->object)
		return NULL;
	*offset = address - range->start + range->offset;
	return range->object;
}

bool objects_is_anonymous(const struct objects *objects, uint64_t address)
{
	const struct range *range = range_at(objects, address);

	return range && !range->object;
}

/* By place; of several names for one the best first. */
static int by_offset(const void *a, const void *b)
{
	const struct object_function *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return image_symbol_compare(x->symbol, y->symbol);
}

static void sort_functions(struct mapped_object *object)
{
	size_t count, kept = 0;
	const struct image_symbol *symbols = image_symbols(object->image, &count);

	object->functions = calloc(count + 1, sizeof(*object->functions));
	for (size_t i = 0; object->functions && i < count; i++) {
		struct object_function f = { .symbol = &symbols[i] };

		if (symbols[i].is_function && !image_code_offset(object->image, symbols[i].address, &f.offset))
			object->functions[object->function_count++] = f;
	}
	if (!object->function_count)
		return;
	/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): there are some */
	qsort(object->functions, object->function_count, sizeof(*object->functions), by_offset);
	for (size_t i = 0; i < object->function_count; i++) {
		if (!kept || object->functions[kept - 1].offset != object->functions[i].offset)
			object->functions[kept++] = object->functions[i];
	}
	object->function_count = kept;
}

void object_read(struct mapped_object *object)
{
	struct reader_image made;
	int err;

	if (object->image || object->fd < 0)
		return;
	/* Who asks for it by name waits, also the agent. */
	do
		err = reader_make_image_of(object->pid, object->fd, &made);
	while (err == -EAGAIN);
	object->image = err ? NULL : made.image;
	if (object->image) {
		sort_functions(object);
		return;
	}
	close(object->fd);
	object->fd = -1;
}

struct mapped_object *object_borrow(struct image *image)
{
	struct mapped_object *object = calloc(1, sizeof(*object));

	if (!object)
		return NULL;
	object->fd = -1;
	object->image = image;
	object->is_borrowed = true;
	sort_functions(object);
	if (object->functions)
		return object;
	object_free(object);
	return NULL;
}

const struct object_function *object_function_at(struct mapped_object *object, uint64_t offset)
{
	const struct object_function *f;
	size_t from = 0, to;

	object_read(object);
	to = object->function_count;
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (object->functions[middle].offset <= offset)
			from = middle + 1;
		else
			to = middle;
	}
	if (!from)
		return NULL;
	f = &object->functions[from - 1];
	/* Code written in assembly may have no size. */
	return !f->symbol->size || offset - f->offset < f->symbol->size ? f : NULL;
}

bool object_is_named(const struct mapped_object *object, const char *glob)
{
	const char *so = strstr(object->name, ".so");
	char alone[256];

	if (!*glob || !fnmatch(glob, object->name, 0))
		return true;
	if (object->is_main && !strcmp(glob, "a.out"))
		return true;
	snprintf(alone, sizeof(alone), "%.*s", so ? (int)(so - object->name) : 0, object->name);
	return so && !fnmatch(glob, alone, 0);
}
