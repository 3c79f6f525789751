// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as a command of a port (etf/term.c), read in any order: the first half of the input says what is asked for,
 * one byte each, and the rest is the term. What is given lies within the bytes.
 */
#include <string.h>

#include "etf/term.h"
#include "fuzz.h"

static void read_one(struct etf_reader *reader, int what, const unsigned char *bytes)
{
	char atom[ETF_ATOM];
	const char *text;
	size_t size;

	switch (what % 6) {
	case 0: must(etf_tuple(reader) <= UINT8_MAX, "a small tuple is small"); break;
	case 1: must(etf_list(reader) <= (size_t)(reader->end - reader->at), "an element takes a byte"); break;
	case 2: etf_list_end(reader); break;
	case 3: must(strlen(etf_atom(reader, atom)) < ETF_ATOM, "an atom ends"); break;
	case 4: etf_integer(reader); break;
	case 5:
		text = etf_binary(reader, &size);
		must(!text || (text >= (const char *)bytes && text + size == (const char *)reader->at),
		     "a binary is within the term");
		must(text || reader->is_bad, "there is no binary only where something is wrong");
	}
}

static void fuzz(const uint8_t *data, size_t size)
{
	const unsigned char *term = data + size / 2;
	struct etf_reader reader;

	etf_begin(&reader, term, size - size / 2);
	for (size_t i = 0; i < size / 2; i++) {
		bool was_bad = reader.is_bad;

		read_one(&reader, data[i], term);
		must(reader.at >= term && reader.at <= reader.end, "reading stays within the term");
		must(!was_bad || reader.is_bad, "what is wrong stays wrong");
	}
	must(!etf_is_over(&reader) || reader.at == reader.end, "all of it was read");
}
