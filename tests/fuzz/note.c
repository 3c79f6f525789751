// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any file as the executable of a process: it is opened, its symbols are looked up, its notes and
 * their operands are read. Beside not to crash: what is taken would be safe to attach to, and what
 * is refused has a reason.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "probe/operand.h"
#include "probe/sites/note.h"
#include "target/image/image_build.h"

struct file {
	const uint8_t *data;
	size_t size;
	size_t refused;
};

static int resolve(void *data, const char *name, int64_t *value)
{
	const struct image_symbol *symbol = image_symbol(data, name);

	if (!symbol)
		return -ENOENT;
	*value = (int64_t)symbol->address;
	return 0;
}

static bool holds_nop(const struct file *file, uint64_t offset)
{
	static const unsigned char arm_nop[] = { 0x1f, 0x20, 0x03, 0xd5 };
	const uint8_t *code = file->data + offset;
	size_t left = offset < file->size ? file->size - offset : 0;

	return (left >= 1 && code[0] == 0x90) || (left >= 4 && !memcmp(code, arm_nop, 4));
}

static void check_note(const struct file *file, const struct image *image, const struct note *note)
{
	struct operand_context context = {
		.arch = image_arch(image),
		.site = note->site,
		.resolve = resolve,
		.data = (void *)(uintptr_t)image,
	};
	struct erl_operand ops[ERL_MAX_ARGS];
	const char *why = NULL;
	int count;

	must(holds_nop(file, note->site_offset), "there is a nop at the site");
	must(!note->semaphore_offset || note->semaphore_offset <= file->size - 2, "the semaphore is in the file");
	must(*note->provider && *note->name, "a note has names");
	must(note->note_offset < file->size, "the note is in the file");
	count = operand_parse_all(&context, note->args, ops, &why);
	must(count <= ERL_MAX_ARGS, "there are not too many arguments");
	must(count >= 0 || why, "operands are refused with a reason");
}

static void refuse(void *data, uint64_t note_offset, const char *why)
{
	struct file *file = data;

	(void)note_offset;
	file->refused++;
	must(why && *why, "a note is refused with a reason");
}

static void check_image(struct file *file, const struct image *image)
{
	static const char *const sections[] = { ".text", ".probes", ".note.stapsdt", ".bss" };
	struct note_list list;
	char text[16];
	size_t count;
	int err;

	image_symbol(image, "etp_otp_release");
	image_read_string(image, "etp_otp_release", text, sizeof(text));
	image_read(image, image_entry(image), text, sizeof(text));
	image_symbols(image, &count);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		struct image_section section;

		image_section(image, sections[i], SIZE_MAX, &section);
	}
	err = note_list_read(image, &list, refuse, file);
	must(!err || file->refused, "a broken section is refused with a reason");
	must(!err || !list.count, "a broken section gives no notes");
	for (size_t i = 0; i < list.count; i++)
		check_note(file, image, &list.notes[i]);
	note_list_free(&list);
}

/* With little room, and with a name that must be there: as of files that are looked at for the first time. */
static void check_limits(int fd)
{
	static const struct image_limits few = { .symbols = 16, .name_bytes = 256 };
	static const char *const needed[] = { "erts_schedule", NULL };
	const char *why = NULL;
	void *flat = NULL;
	size_t size;
	int err = image_build(fd, &few, needed, &flat, &size, &why);

	must(err || size <= image_most_bytes(&few), "an image is within its limits");
	must(err != -ENOEXEC || (why && *why), "a file is refused with a reason");
	must(!err || !flat, "what is refused leaves nothing behind");
	free(flat);
}

static void fuzz(const uint8_t *data, size_t size)
{
	struct file file = { .data = data, .size = size };
	static int fd = -1;
	struct image *image;
	const char *why = NULL;

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	check_limits(fd);
	if (image_open(fd, &image, &why)) {
		must(why && *why, "a file is refused with a reason");
		return;
	}
	check_image(&file, image);
	image_free(image);
}
