// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any block of memory as what is wanted of an executable file (image_flat.h), and any bytes as the file behind it: who
 * made the block was fed by a hostile file. A first byte that is odd: the block is taken as it is. Else its header is
 * made to fit its size, so that what is behind the header is read. What the accessors give stays within the block.
 * note.c gives files to who makes such blocks.
 */
#include <elf.h>
#include <errno.h>

#include "fuzz.h"
#include "probe/callers.h"
#include "probe/code/entry.h"
#include "probe/code/instruction.h"
#include "probe/sites/note.h"
#include "target/image/image.h"
#include "target/image/image_flat.h"
#include "target/text.h"

static struct {
	const uint8_t *data;
	size_t size;
	uint64_t left; /* bytes that may still be read */
} file;

#define MOST_READ (32u << 20)

static int read_file(int fd, uint64_t offset, void *buf, size_t size)
{
	uint8_t *to = buf;

	(void)fd;
	if (!file.size || size > file.left)
		return -EIO;
	file.left -= size;
	for (size_t i = 0; i < size; i++)
		to[i] = file.data[(offset + i) % file.size];
	return 0;
}

static void make_header(uint8_t *block, size_t size)
{
	struct flat_header h;
	size_t left = size - sizeof(h);

	memcpy(&h, block, sizeof(h));
	h.arch = h.arch & 1 ? ARCH_AARCH64 : ARCH_X86_64;
	h.segments = h.segments % 8 * (h.segments % 8 * sizeof(struct flat_segment) < left);
	left -= h.segments * sizeof(struct flat_segment);
	h.sections = h.sections % 16 * (h.sections % 16 * sizeof(struct flat_section) < left);
	left -= h.sections * sizeof(struct flat_section);
	h.symbols = h.symbols % 32 * (h.symbols % 32 * sizeof(struct flat_symbol) < left);
	left -= h.symbols * sizeof(struct flat_symbol);
	h.names = left;
	block[size - 1] = 0;
	memcpy(block, &h, sizeof(h));
}

static void check_symbols(const struct image *image)
{
	struct erl_caller_range ranges[ERL_MAX_CALLERS];
	size_t count;
	const struct image_symbol *symbols = image_symbols(image, &count);
	struct entry_place place;
	char text[32];

	for (size_t i = 0; i < count; i++) {
		const struct image_symbol *found = image_symbol(image, symbols[i].name);

		must(!found || !strcmp(found->name, symbols[i].name), "a symbol has the name that it was found by");
		image_read_string(image, symbols[i].name, text, sizeof(text));
		entry_find_cheap(image, symbols[i].address, symbols[i].size, &place);
		instruction_begins(image, symbols[i].address, symbols[i].size, 16);
		instruction_can_be_probed(image, symbols[i].address);
		image_points_to(image, symbols[i].address);
		text_function(image, symbols[i].address);
	}
	callers_find(image, image_entry(image), ranges);
}

static void check_addresses(const struct image *image, uint64_t file_size)
{
	uint64_t address, size, offset;
	uint8_t bytes[64];

	for (size_t i = 0; image_code_segment(image, i, &address, &size); i++) {
		must(address + size >= address, "a segment does not wrap");
		if (!image_code_offset(image, address, &offset))
			must(offset < file_size, "code is in the file");
		if (!image_data_offset(image, address + size / 2, &offset))
			must(offset < file_size, "data is in the file");
		image_read_code(image, address + size / 2, bytes, sizeof(bytes));
		image_read(image, address + size, bytes, sizeof(bytes));
	}
	image_read(image, image_start(image), bytes, sizeof(bytes));
}

static void refuse(void *data, uint64_t offset, const char *why)
{
	(void)data;
	(void)offset;
	must(why && *why, "a note is refused with a reason");
}

static void check_sections(const struct image *image)
{
	static const char *const names[] = { ".text", ".probes", ".note.stapsdt", ".bss", ".rela.dyn", ".data", "" };
	struct note_list notes;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct image_section section;

		if (image_section(image, names[i], 4096, &section))
			continue;
		must(section.size <= 4096, "a section is no larger than it may be");
		if (section.data)
			must(section.data[section.size - 1] + 1, "its content can be read to its end");
	}
	note_list_read(image, &notes, refuse, NULL);
	note_list_free(&notes);
}

static void fuzz(const uint8_t *data, size_t size)
{
	struct image_file from = { .fd = -1, .read = read_file };
	struct flat_header header;
	struct image *image;
	uint8_t *block;

	if (size < sizeof(header) + 2)
		return;
	block = malloc(size - 1);
	memcpy(block, data + 1, size - 1);
	if (!(data[0] & 1))
		make_header(block, size - 1);
	memcpy(&header, block, sizeof(header));
	file.data = data;
	file.size = size;
	file.left = MOST_READ;
	if (image_take(block, size - 1, &from, &image))
		return;
	check_symbols(image);
	check_addresses(image, header.file_size);
	check_sections(image);
	image_free(image);
}
