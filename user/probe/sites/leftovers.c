// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sites/leftovers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/process/yield.h"
#include "target/reader/procfs.h"

#define MAX_PROBES (1u << 20) /* bytes of .probes */
#define SETTLE_MS 20	      /* the kernel replaces a nop5 in three steps */

/* The section with the semaphores, in the file (NULL: all zeros) and in the process. */
struct values {
	struct image_section section;
	unsigned char *memory;
};

static void ignore_note(void *data, uint64_t offset, const char *why)
{
	(void)data;
	(void)offset;
	(void)why;
}

static int compare_notes(const void *a, const void *b)
{
	const struct note *x = a, *y = b;

	return (x->site > y->site) - (x->site < y->site);
}

static int compare_semaphores(const void *a, const void *b)
{
	const struct leftover_semaphore *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int compare_site(const void *key, const void *element)
{
	const uint64_t *address = key;
	const struct note *note = element;

	return (*address > note->site) - (*address < note->site);
}

/* The note with this site, or with a nop5 there. */
static const struct note *note_at(const struct note_list *notes, uint64_t address)
{
	uint64_t before = address - 1;
	const struct note *found = NULL;

	if (!notes->count)
		return NULL;
	found = bsearch(&address, notes->notes, notes->count, sizeof(*notes->notes), compare_site);
	return found ? found : bsearch(&before, notes->notes, notes->count, sizeof(*notes->notes), compare_site);
}

static int read_values(const struct target *target, struct values *values)
{
	uint64_t moved;
	int err = image_section(target->vm->image, ".probes", MAX_PROBES, &values->section);

	if (err == -ENOENT)
		return 0;
	if (!err)
		err = target_address(target, 0, &moved);
	if (err)
		return err;
	values->memory = malloc(values->section.size + 1);
	if (!values->memory)
		return -ENOMEM;
	return procfs_memory(target->pid, values->section.address + moved, values->memory, values->section.size);
}

/* Reads its values; false if the section is elsewhere. */
static bool look_up(const struct target *target, const struct values *values, struct leftover_semaphore *semaphore)
{
	uint64_t at = semaphore->offset - values->section.offset, offset;

	semaphore->address = values->section.address + at;
	if (!values->memory || values->section.size < 2 || at > values->section.size - 2 ||
	    image_data_offset(target->vm->image, semaphore->address, &offset) || offset != semaphore->offset)
		return false;
	memcpy(&semaphore->value, values->memory + at, sizeof(semaphore->value));
	if (values->section.data)
		memcpy(&semaphore->rest, values->section.data + at, sizeof(semaphore->rest));
	return true;
}

/* Sorts them and removes duplicates. */
static void keep_distinct(struct leftovers *found)
{
	size_t kept = 0;

	if (found->semaphore_count)
		qsort(found->semaphores, found->semaphore_count, sizeof(*found->semaphores), compare_semaphores);
	for (size_t i = 0; i < found->semaphore_count; i++) {
		if (!kept || found->semaphores[kept - 1].offset != found->semaphores[i].offset)
			found->semaphores[kept++] = found->semaphores[i];
	}
	found->semaphore_count = kept;
}

static int find_semaphores(const struct target *target, struct leftovers *found)
{
	struct values values = {};
	int err = read_values(target, &values);

	for (size_t i = 0; !err && i < found->notes.count; i++) {
		struct leftover_semaphore semaphore = { .offset = found->notes.notes[i].semaphore_offset };

		if (!semaphore.offset || !look_up(target, &values, &semaphore))
			continue;
		if (array_has_room(found->semaphores, found->semaphore_count))
			found->semaphores[found->semaphore_count++] = semaphore;
		else
			err = -ENOMEM;
	}
	free(values.memory);
	keep_distinct(found);
	return err;
}

static struct leftover_semaphore *semaphore_at(const struct leftovers *found, uint64_t offset)
{
	struct leftover_semaphore key = { .offset = offset };

	return found->semaphore_count ? bsearch(&key, found->semaphores, found->semaphore_count,
						sizeof(*found->semaphores), compare_semaphores)
				      : NULL;
}

const struct leftover_semaphore *leftovers_semaphore(const struct leftovers *found, uint64_t offset)
{
	return semaphore_at(found, offset);
}

static int add_site(const struct target *target, const struct text_patch *patch, struct leftovers *found)
{
	const struct note *note = note_at(&found->notes, patch->address);
	struct leftover_site site = { .address = patch->address, .kind = patch->kind };
	struct leftover_semaphore *semaphore = note ? semaphore_at(found, note->semaphore_offset) : NULL;

	if (image_code_offset(target->vm->image, patch->address, &site.offset))
		return 0;
	if (!array_has_room(found->sites, found->site_count))
		return -ENOMEM;
	if (semaphore) {
		site.semaphore = semaphore->offset;
		semaphore->sites++;
		semaphore->has_fixed |= patch->kind != TEXT_BREAKPOINT;
	}
	found->sites[found->site_count++] = site;
	return 0;
}

static bool has_torn(const struct text_patches *patches)
{
	for (size_t i = 0; i < patches->count; i++) {
		if (patches->all[i].kind == TEXT_TORN)
			return true;
	}
	return false;
}

static int read_patches(const struct target *target, struct text_patches *patches)
{
	int err = text_patches_read(target, patches);

	if (err || !has_torn(patches))
		return err;
	text_patches_free(patches);
	yield_wait(-1, SETTLE_MS);
	return text_patches_read(target, patches);
}

int leftovers_find(const struct target *target, struct leftovers *found)
{
	struct text_patches patches;
	int err;

	*found = (struct leftovers){};
	err = read_patches(target, &patches);
	/* If the notes are partly broken, the readable ones are used. */
	if (!err && note_list_read(target->vm->image, &found->notes, ignore_note, NULL) == -ENOMEM)
		err = -ENOMEM;
	if (found->notes.count)
		qsort(found->notes.notes, found->notes.count, sizeof(*found->notes.notes), compare_notes);
	if (!err)
		err = find_semaphores(target, found);
	for (size_t i = 0; !err && i < patches.count; i++)
		err = add_site(target, &patches.all[i], found);
	text_patches_free(&patches);
	return err;
}

void leftovers_free(struct leftovers *found)
{
	free(found->sites);
	free(found->semaphores);
	note_list_free(&found->notes);
	*found = (struct leftovers){};
}

size_t leftovers_of_kind(const struct leftovers *found, enum text_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < found->site_count; i++)
		count += found->sites[i].kind == kind;
	return count;
}

size_t leftovers_raised(const struct leftovers *found)
{
	size_t raised = 0;

	for (size_t i = 0; i < found->semaphore_count; i++)
		raised += found->semaphores[i].value != found->semaphores[i].rest;
	return raised;
}

bool leftovers_is_wrong(const struct leftover_semaphore *semaphore)
{
	return (semaphore->value != semaphore->rest) != (semaphore->sites > 0);
}

const char *leftovers_error(int err)
{
	switch (err) {
	case -EFBIG: return "its code is too large";
	case -E2BIG: return "more of its code is changed than a tracer would change";
	case -ENOMEM: return "out of memory";
	case -EFAULT: return "its memory cannot be read";
	case -ENOENT: return "its executable cannot be read";
	default: return strerror(-err);
	}
}
