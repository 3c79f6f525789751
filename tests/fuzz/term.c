// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any memory as that of a node: the input, over and over, so that most pointers lead somewhere. The
 * first word is the term, the second says how it is read: release, flavor, size of the buffer.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "term/format.h"
#include "fuzz.h"

#define MAX_TEXT 4096

struct image {
	const uint8_t *bytes;
	size_t size;
};

static int read_image(const void *data, uint64_t address, void *to, size_t size)
{
	const struct image *image = data;
	uint8_t *at = to;

	if (address >> 47)
		return -EFAULT;
	for (size_t i = 0; i < size; i++)
		at[i] = image->bytes[(address + i) % image->size];
	return 0;
}

static int read_atom(const void *data, uint32_t index, char bytes[TERM_ATOM_BYTES])
{
	const struct image *image = data;
	uint32_t length = index % (TERM_ATOM_BYTES + 1);

	for (uint32_t i = 0; i < length; i++)
		bytes[i] = (char)image->bytes[(index + i) % image->size];
	return index % 7 ? (int)length : -ENOENT;
}

static int show_id(const void *data, uint64_t term, char text[TERM_ID_SIZE])
{
	(void)data;
	snprintf(text, TERM_ID_SIZE, "<%llu>", (unsigned long long)term);
	return term % 5 ? 0 : -ENOENT;
}

static void check_text(const char *text, size_t length, size_t size)
{
	unsigned int code;

	must(length < size, "the text fits");
	must(text[length] == '\0' && strlen(text) == length, "the text is terminated");
	for (size_t at = 0, step; at < length; at += step) {
		step = text_utf8(text + at, length - at, &code);
		must(step > 0, "the text is UTF-8");
	}
}

static void fuzz(const uint8_t *data, size_t size)
{
	struct image image = { .bytes = data + 16, .size = size - 16 };
	static struct term_snapshot snapshot;
	struct term_vm vm = { .atom = read_atom, .id = show_id, .data = &image };
	struct term_memory memory = { .vm = &vm, .read = read_image, .data = &image };
	uint64_t term, how;
	size_t text_size;
	char *text;

	if (size < 32)
		return;
	memcpy(&term, data, sizeof(term));
	memcpy(&how, data + 8, sizeof(how));
	vm.otp = how & 1 ? 25 : how & 2 ? 27 : 28;
	vm.is_jit = how & 4;
	vm.this_dist = how >> 32;
	text_size = 1 + (how >> 8) % MAX_TEXT;
	text = malloc(text_size);
	must(text, "there is memory");
	check_text(text, term_format(&memory, term, text, text_size), text_size);
	memcpy(&snapshot, data, size < sizeof(snapshot) ? size : sizeof(snapshot));
	check_text(text, term_format_snapshot(&vm, &snapshot, text, text_size), text_size);
	free(text);
}
