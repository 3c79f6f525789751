// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source: "Exception Frames" of the Linux Standard Base, and the encodings of pointers (DW_EH_PE_...) there. Only what
 * compilers write for C and C++ is read: addresses that are relative to their place or absolute.
 */
#include "match/frames.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/array.h"
#include "match/binary.h"

#define PE_PCREL 0x10
#define PE_APPLICATION 0x70
#define PE_FORMAT 0x0f
#define MAX_LEB 10 /* bytes */

struct reader {
	const unsigned char *bytes;
	size_t size, at;
	bool is_bad;
};

static uint64_t read_number(struct reader *r, size_t size)
{
	uint64_t value = 0;

	if (size > r->size - r->at) {
		r->is_bad = true;
		return 0;
	}
	memcpy(&value, r->bytes + r->at, size);
	r->at += size;
	return value;
}

/* A number in LEB128, which matters to nobody here. One that does not end makes no sense. */
static void skip_leb(struct reader *r)
{
	for (int i = 0; i < MAX_LEB; i++) {
		if (!(read_number(r, 1) & 0x80))
			return;
	}
	r->is_bad = true;
}

/* A pointer of that encoding, whose place in memory is `address`. */
static uint64_t read_pointer(struct reader *r, unsigned char encoding, uint64_t address)
{
	uint64_t base = (encoding & PE_APPLICATION) == PE_PCREL ? address + r->at : 0;

	switch (encoding & PE_FORMAT) {
	case 0x0: /* absptr */
	case 0x4: /* udata8 */
	case 0xc: return base + read_number(r, 8);
	case 0x3: return base + read_number(r, 4);
	case 0xb: return base + (uint64_t)(int64_t)(int32_t)read_number(r, 4);
	default: r->is_bad = true; return 0;
	}
}

/* How the entries that refer to this one write addresses; of one without a word on it, as they are. */
static unsigned char read_encoding(struct reader r)
{
	char letters[8] = "";
	unsigned char found = 0;

	read_number(&r, 1); /* version */
	for (size_t i = 0; i < sizeof(letters) - 1 && !r.is_bad; i++) {
		letters[i] = (char)read_number(&r, 1);
		if (!letters[i])
			break;
	}
	if (letters[0] != 'z')
		return letters[0] ? 0xff : 0;
	skip_leb(&r); /* alignment of code */
	skip_leb(&r); /* and of data */
	skip_leb(&r); /* the register of the return address; below 128 that is a byte, too */
	skip_leb(&r); /* the length of what follows */
	for (const char *letter = letters + 1; *letter && !r.is_bad; letter++) {
		if (*letter == 'R')
			return (unsigned char)read_number(&r, 1);
		if (*letter == 'L') {
			read_number(&r, 1);
		} else if (*letter == 'P') {
			found = (unsigned char)read_number(&r, 1);
			read_pointer(&r, found, 0);
		} else if (*letter != 'S' && *letter != 'B') {
			return 0xff;
		}
	}
	return 0;
}

struct list {
	struct binary_function **functions;
	size_t *count;
};

static int add(const struct list *list, uint64_t start, uint64_t size)
{
	if (start > UINT32_MAX || !size || size > UINT32_MAX - start)
		return 0;
	if (!array_has_room(*list->functions, *list->count))
		return -ENOMEM;
	(*list->functions)[(*list->count)++] = (struct binary_function){ (uint32_t)start, (uint32_t)size };
	return 0;
}

/* An entry: `id` is 0 in the description of a kind (CIE), else how far before its place its own kind is described. */
static int read_entry(const struct reader *whole, struct reader entry, uint64_t address, const struct list *list)
{
	size_t place = entry.at;
	uint64_t id = read_number(&entry, 4), start, size;
	struct reader kind = *whole;
	unsigned char encoding;

	if (!id || id > place || entry.is_bad)
		return 0;
	kind.at = place - id;
	kind.size = whole->size;
	read_number(&kind, 4);
	if (read_number(&kind, 4) || kind.is_bad)
		return 0;
	encoding = read_encoding(kind);
	if (encoding == 0xff)
		return 0;
	start = read_pointer(&entry, encoding, address);
	size = read_pointer(&entry, encoding & PE_FORMAT, address);
	return entry.is_bad ? 0 : add(list, start, size);
}

int frames_read(const void *table, size_t size, uint64_t address, struct binary_function **functions, size_t *count)
{
	struct reader r = { .bytes = table, .size = size };
	struct list list = { functions, count };
	int err = 0;

	while (!err && r.size - r.at >= 4 && *count < FRAMES_MAX) {
		uint64_t length = read_number(&r, 4);
		struct reader entry = r;

		/* 0 ends the list; longer ones than 4 GiB are written otherwise, and are none here. */
		if (length < 4 || length > r.size - r.at)
			break;
		entry.size = r.at + length;
		err = read_entry(&r, entry, address, &list);
		r.at += length;
	}
	return err;
}
