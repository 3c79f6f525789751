// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tags of terms: erl_term.h of OTP 27.3.4.1. What is deep, long or of a rare type is shown as "...".
 */
#include "probe/label.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "probe/erlid.h"
#include "probe/naming.h"
#include "probe/pids.h"
#include "target/procfs.h"

#define NIL 0x3b
#define HEAP_BITS 0x20		/* low bits of the header of a bit string on the heap: subtag 8 */
#define SUB_BITS 0x24		/* of one whose bytes are elsewhere: struct erl_sub_bits of erl_bits.h */
#define MAX_DEPTH 3
#define MAX_ELEMENTS 8
#define MAX_READS 200		/* of one label: lists of lists would take as many as they like */

struct label {
	const struct target *target;
	struct atoms *atoms;
	const struct erl_pid_layout *pids;
	unsigned int reads;
	char text[NAME_LABEL_SIZE];
	size_t length;
};

static void put_term(struct label *label, uint64_t term, int depth);

__attribute__((format(printf, 2, 3)))
static void put(struct label *label, const char *format, ...)
{
	size_t left = sizeof(label->text) - label->length;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(label->text + label->length, left, format, args);
	va_end(args);
	label->length += n < 0 ? 0 : (size_t)n < left ? (size_t)n : left - 1;
}

static int read_words(struct label *label, uint64_t address, uint64_t *words, size_t count)
{
	if (++label->reads > MAX_READS)
		return -E2BIG;
	return procfs_memory(label->target->pid, address, words, count * sizeof(*words));
}

static bool is_printable(uint64_t c)
{
	return c < 0x80 && (isprint((int)c) || c == '\n' || c == '\t');
}

/* A list of characters, as far as it fits. False if it is none. */
static bool put_string(struct label *label, uint64_t list)
{
	char text[NAME_LABEL_SIZE];
	size_t n = 0;

	while (list != NIL && n + 1 < sizeof(text)) {
		uint64_t cell[2];

		if ((list & 3) != 1 || read_words(label, list - 1, cell, 2) || (cell[0] & 0xf) != 0xf ||
		    !is_printable(cell[0] >> 4))
			return false;
		text[n++] = (char)(cell[0] >> 4);
		list = cell[1];
	}
	text[n] = '\0';
	put(label, "\"%s\"", text);
	return true;
}

static void put_list(struct label *label, uint64_t list, int depth)
{
	if (put_string(label, list))
		return;
	put(label, "[");
	for (int i = 0; (list & 3) == 1; i++) {
		uint64_t cell[2];

		if (i == MAX_ELEMENTS || read_words(label, list - 1, cell, 2)) {
			put(label, ",...");
			break;
		}
		put(label, "%s", i ? "," : "");
		put_term(label, cell[0], depth);
		list = cell[1];
	}
	put(label, "]");
}

/* Bytes of a binary: behind its size on the heap, or those that another one has from `start` on, in bits. */
static bool find_bytes(struct label *label, uint64_t address, uint64_t header, uint64_t *bytes,
		       uint64_t *bits)
{
	uint64_t words[4];

	if (read_words(label, address, words, 4))
		return false;
	*bytes = address + 16;
	*bits = words[1];
	if ((header & 0x3f) == HEAP_BITS)
		return *bits % 8 == 0;
	*bytes = (words[1] & ~3ULL) + words[2] / 8;
	*bits = words[3] - words[2];
	return words[2] % 8 == 0 && *bits % 8 == 0 && words[3] >= words[2];
}

static void put_binary(struct label *label, uint64_t address, uint64_t header)
{
	unsigned char text[NAME_LABEL_SIZE] = {};
	uint64_t bytes, bits, size;

	if (!find_bytes(label, address, header, &bytes, &bits)) {
		put(label, "...");
		return;
	}
	size = bits / 8 < sizeof(text) ? bits / 8 : sizeof(text) - 1;
	if (procfs_memory(label->target->pid, bytes, text, size))
		size = 0;
	for (size_t i = 0; i < size; i++) {
		if (!is_printable(text[i])) {
			put(label, "<<...>>");
			return;
		}
	}
	put(label, "<<\"%s\">>", (const char *)text);
}

static void put_tuple(struct label *label, uint64_t address, uint64_t size, int depth)
{
	uint64_t elements[MAX_ELEMENTS];
	size_t shown = size < MAX_ELEMENTS ? size : MAX_ELEMENTS;

	if (read_words(label, address + 8, elements, shown)) {
		put(label, "...");
		return;
	}
	put(label, "{");
	for (size_t i = 0; i < shown; i++) {
		put(label, "%s", i ? "," : "");
		put_term(label, elements[i], depth);
	}
	put(label, shown < size ? ",...}" : "}");
}

static void put_boxed(struct label *label, uint64_t address, int depth)
{
	uint64_t header;

	if (read_words(label, address, &header, 1))
		put(label, "...");
	else if ((header & 0x3f) == 0)
		put_tuple(label, address, header >> 6, depth);
	else if ((header & 0x3f) == HEAP_BITS || (header & 0x3f) == SUB_BITS)
		put_binary(label, address, header);
	else
		put(label, "...");
}

static void put_atom(struct label *label, uint32_t index)
{
	const char *atom = atoms_text(label->atoms, index);
	char text[NAME_LABEL_SIZE];

	atom_format(atom ? atom : "...", text, sizeof(text));
	put(label, "%s", text);
}

static void put_term(struct label *label, uint64_t term, int depth)
{
	char id[ERLID_SIZE];

	if (atom_of_term(term) != ATOM_NONE)
		put_atom(label, atom_of_term(term));
	else if ((term & 0xf) == 0xf)
		put(label, "%" PRId64, (int64_t)term >> 4);
	else if ((term & 0xf) == 0x3)
		put(label, "%s", erlid_format(pid_of_term(label->pids, term), id));
	else if (term == NIL)
		put(label, "[]");
	else if (depth == MAX_DEPTH || label->length + 1 >= sizeof(label->text))
		put(label, "...");
	else if ((term & 3) == 1)
		put_list(label, term, depth + 1);
	else if ((term & 3) == 2)
		put_boxed(label, term - 2, depth + 1);
	else
		put(label, "...");
}

char *label_read(const struct target *target, struct atoms *atoms, const struct erl_pid_layout *pids,
		 uint64_t term)
{
	struct label label = { .target = target, .atoms = atoms, .pids = pids };

	put_term(&label, term, 0);
	return label.length ? strdup(label.text) : NULL;
}
