// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/symbols/objects.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "target/mapped.h"

#define MAX_OBJECTS 4096

/* A range of process memory with code. */
struct range {
	uint64_t start, end, offset;
	struct mapped_object *object; /* NULL: not from a file */
	bool is_vdso;
};

struct objects {
	pid_t pid;
	struct mapped_object **objects;
	size_t count;
	struct range *ranges; /* sorted by address, as in /proc/PID/maps */
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

static struct mapped_object *add(struct objects *objects, const struct mapped_code *code)
{
	struct mapped_object *object;

	if (!array_has_room(objects->objects, objects->count))
		return NULL;
	object = calloc(1, sizeof(*object));
	if (!object)
		return NULL;
	object->name = strdup(mapped_name(code));
	object->device = code->device;
	object->inode = code->inode;
	object->pid = objects->pid;
	object->fd = mapped_open(objects->pid, code, &object->identity);
	object->is_main = is_executable_of(objects->pid, object);
	if (!object->name) {
		object_free(object);
		return NULL;
	}
	objects->objects[objects->count++] = object;
	return object;
}

static int add_code(void *data, const struct mapped_code *code)
{
	struct objects *objects = data;
	struct range range = { code->start, code->end, code->offset, NULL, code->is_vdso };

	if (code->path && objects->count < MAX_OBJECTS) {
		range.object = find(objects, code->device, code->inode);
		if (!range.object)
			range.object = add(objects, code);
		if (!range.object)
			return -ENOMEM;
	}
	if (!array_has_room(objects->ranges, objects->range_count))
		return -ENOMEM;
	objects->ranges[objects->range_count++] = range;
	return 0;
}

struct objects *objects_open(pid_t pid)
{
	struct objects *objects = calloc(1, sizeof(*objects));
	int err;

	if (!objects)
		return NULL;
	objects->pid = pid;
	err = mapped_each(pid, add_code, objects);
	if (!err)
		return objects;
	objects_free(objects);
	errno = -err;
	return NULL;
}

int objects_update(struct objects *objects)
{
	struct range *ranges = objects->ranges;
	size_t count = objects->range_count;
	int err;

	objects->ranges = NULL;
	objects->range_count = 0;
	err = mapped_each(objects->pid, add_code, objects);
	if (!err && objects->range_count) {
		free(ranges);
		return 0;
	}
	/* An ended process maps nothing, but its old addresses are still needed. */
	free(objects->ranges);
	objects->ranges = ranges;
	objects->range_count = count;
	return err;
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

bool objects_hold_code(const struct objects *objects, uint64_t address)
{
	return range_at(objects, address);
}

bool objects_is_anonymous(const struct objects *objects, uint64_t address)
{
	const struct range *range = range_at(objects, address);

	return range && !range->object && !range->is_vdso;
}

bool objects_is_vdso(const struct objects *objects, uint64_t address)
{
	const struct range *range = range_at(objects, address);

	return range && range->is_vdso;
}

/* Sorted by address; of aliases, the best name first. */
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
	/* A user who names the file waits, and so does the agent. */
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

	object_read(object);
	f = array_last_upto(object->functions, object->function_count, offset, offset);
	if (!f)
		return NULL;
	/* Assembly code can have symbols without a size. */
	return !f->symbol->size || offset - f->offset < f->symbol->size ? f : NULL;
}

/* Its name, or a prefix up to a dot: "libc.so", "libc". */
static bool is_shortened(const char *name, const char *glob)
{
	char text[256];

	for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
		snprintf(text, sizeof(text), "%.*s", (int)(dot - name), name);
		if (!fnmatch(glob, text, 0))
			return true;
	}
	return false;
}

bool object_is_named(const struct mapped_object *object, const char *glob)
{
	/* Solaris's executable, used in many scripts. */
	if (!strcmp(glob, "libc.so.1"))
		glob = "libc.so";
	if (!*glob || !fnmatch(glob, object->name, 0))
		return true;
	if (object->is_main && !strcmp(glob, "a.out"))
		return true;
	return is_shortened(object->name, glob);
}
