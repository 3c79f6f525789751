// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/provider/note_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "dtrace/symbols/objects.h"
#include "probe/operand.h"
#include "probe/sites/note.h"
#include "target/reader/quarantine.h"
#include "target/reader/reader.h"

#define MAX_FILES 256	     /* with notes */
#define MAX_SEEN 65536	     /* files in all */
#define MAX_BYTES (1u << 20) /* notes of one file; those of a VM take 100 KiB */

struct entry {
	struct note_file file;
	UT_hash_handle hh;
};

struct note_files {
	struct entry *by_place;
	size_t count; /* with notes */
};

struct note_files *note_files_new(void)
{
	return calloc(1, sizeof(struct note_files));
}

static void close_file(struct note_file *file)
{
	if (file->functions)
		object_free(file->functions);
	note_list_free(&file->notes);
	free(file->sites);
	image_free(file->image);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct note_file){ .place = { file->place[0], file->place[1] }, .name = file->name, .fd = -1 };
}

void note_files_free(struct note_files *files)
{
	struct entry *entry, *next;

	if (!files)
		return;
	HASH_ITER(hh, files->by_place, entry, next) {
		HASH_DEL(files->by_place, entry);
		close_file(&entry->file);
		free(entry->file.name);
		free(entry);
	}
	free(files);
}

/* Sites. */

static int resolve_symbol(void *data, const char *name, int64_t *value)
{
	const struct image_symbol *symbol = image_symbol(data, name);

	if (!symbol)
		return -ENOENT;
	*value = (int64_t)symbol->address;
	return 0;
}

/* Skips an unreadable argument, to the next "SIZE@OPERAND". */
static const char *next_argument(const char *text)
{
	do {
		text += strcspn(text, " \t");
		text += strspn(text, " \t");
	} while (*text && !memchr(text, '@', strcspn(text, " \t")));
	return text;
}

/* The assembler can write a constant in any form; the note has its size. */
static void narrow(struct erl_operand *op)
{
	unsigned int unused = 64 - 8 * op->size;

	if (op->base != ERL_BASE_CONST || !op->size)
		return;
	op->disp[0] = (int64_t)((uint64_t)op->disp[0] << unused);
	op->disp[0] = op->is_signed ? op->disp[0] >> unused : (int64_t)((uint64_t)op->disp[0] >> unused);
}

static void read_arguments(struct note_file *file, const struct note *note, struct note_site *site)
{
	struct operand_context context = {
		.arch = image_arch(file->image),
		.site = note->site,
		.resolve = resolve_symbol,
		.data = file->image,
	};
	const char *text = note->args + strspn(note->args, " \t");

	for (; *text && site->argc < ERL_MAX_ARGS; site->argc++) {
		const char *start = text, *why = NULL;
		struct erl_operand *op = &site->args[site->argc];

		if (operand_parse(&context, &text, op, &why)) {
			*op = (struct erl_operand){};
			site->unreadable[site->argc] = why;
			text = next_argument(start);
		}
		narrow(op);
	}
}

const char *note_site_type(const struct note_site *site, int arg)
{
	static const char *const types[2][9] = {
		{ [1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t" },
		{ [1] = "int8_t", [2] = "int16_t", [4] = "int32_t", [8] = "int64_t" },
	};

	if (arg >= site->argc)
		return NULL;
	return site->unreadable[arg] ? "unknown" : types[site->args[arg].is_signed][site->args[arg].size & 0xf];
}

static int read_sites(struct note_file *file)
{
	file->functions = object_borrow(file->image);
	file->sites = calloc(file->notes.count + 1, sizeof(*file->sites));
	if (!file->functions || !file->sites)
		return -ENOMEM;
	for (size_t i = 0; i < file->notes.count; i++) {
		const struct note *note = &file->notes.notes[i];
		const struct object_function *f = object_function_at(file->functions, note->site_offset);
		struct note_site *site = &file->sites[i];

		site->fd = file->fd;
		site->file = file->name;
		site->function = f ? f->symbol->name : "";
		site->offset = note->site_offset;
		site->semaphore = note->semaphore_offset;
		read_arguments(file, note, site);
	}
	return 0;
}

/* Files. */

/* `erlbpf doctor` and the provider erlang report the notes of a VM; here there are too many files. */
static void pass_over(void *data, uint64_t note_offset, const char *why)
{
	(void)data;
	(void)note_offset;
	(void)why;
}

static int read_notes(struct note_file *file, pid_t pid)
{
	struct reader_image made;
	struct image_section section;
	int err;

	/* A user who names the file waits, and so does the agent. */
	do
		err = reader_make_image_of(pid, file->fd, &made);
	while (err == -EAGAIN);
	file->image = err ? NULL : made.image;
	if (!err)
		err = image_section(file->image, ".note.stapsdt", MAX_BYTES, &section);
	if (!err)
		err = note_list_read(file->image, &file->notes, pass_over, NULL);
	return err ? err : read_sites(file);
}

/* Most files have no notes; those are closed. */
static int read_file(struct note_files *files, struct note_file *file, pid_t pid)
{
	int err = note_file_has_notes(file->fd);

	if (err == -ETIMEDOUT)
		quarantine_add(pid, "reading its files timed out");
	if (err > 0)
		err = files->count < MAX_FILES ? read_notes(file, pid) : -EMFILE;
	if (!file->notes.count)
		close_file(file);
	files->count += file->fd >= 0;
	return err;
}

/* A file that cannot be opened stays unknown: its process ended or is unreadable, and another process may have it. */
static int add_entry(struct note_files *files, pid_t pid, const struct mapped_code *code, struct entry **added)
{
	struct entry *entry = calloc(1, sizeof(*entry));
	struct reader_identity identity;

	*added = NULL;
	if (entry)
		entry->file.name = strdup(mapped_name(code));
	if (!entry || !entry->file.name) {
		free(entry);
		return -ENOMEM;
	}
	entry->file.fd = mapped_open(pid, code, &identity);
	if (entry->file.fd < 0) {
		free(entry->file.name);
		free(entry);
		return 0;
	}
	entry->file.place[0] = code->device;
	entry->file.place[1] = code->inode;
	HASH_ADD(hh, files->by_place, file.place, sizeof(entry->file.place), entry);
	*added = entry;
	return 0;
}

int note_files_get(struct note_files *files, pid_t pid, const struct mapped_code *code, const struct note_file **file)
{
	uint64_t place[] = { code->device, code->inode };
	struct entry *entry;
	int err = 0;

	HASH_FIND(hh, files->by_place, place, sizeof(place), entry);
	if (!entry && HASH_COUNT(files->by_place) < MAX_SEEN) {
		err = add_entry(files, pid, code, &entry);
		if (entry)
			err = read_file(files, &entry->file, pid);
	}
	*file = entry && entry->file.fd >= 0 ? &entry->file : NULL;
	return err == -ENOMEM || err == -ETIMEDOUT ? err : 0;
}
