// SPDX-License-Identifier: BSD-2-Clause
/*
 * Format: erl_ext_dist of OTP, without floats as text, which current nodes do not send and whose end erl_interface can
 * miss. Not recursive: pending terms are counted.
 */
#include "dist/external.h"

#include <stdbool.h>
#include <stdint.h>

#define REFERENCE_WORDS 5 /* at most */

enum tag {
	NEW_FLOAT = 'F',
	BIT_BINARY = 'M',
	NEW_PID = 'X',
	NEW_PORT = 'Y',
	NEWER_REFERENCE = 'Z',
	SMALL_INTEGER = 'a',
	INTEGER = 'b',
	ATOM = 'd',
	PORT = 'f',
	PID = 'g',
	SMALL_TUPLE = 'h',
	LARGE_TUPLE = 'i',
	NIL = 'j',
	STRING = 'k',
	LIST = 'l',
	BINARY = 'm',
	SMALL_BIG = 'n',
	LARGE_BIG = 'o',
	NEW_FUN = 'p',
	EXPORT = 'q',
	NEW_REFERENCE = 'r',
	SMALL_ATOM = 's',
	MAP = 't',
	ATOM_UTF8 = 'v',
	SMALL_ATOM_UTF8 = 'w',
	V4_PORT = 'x',
};

/* After the tag: an n-byte count, then a fixed number of bytes. */
enum counts {
	NOTHING,
	BYTES,
	TERMS,
	PAIRS,
	LIST_TERMS, /* and the tail */
	WORDS,	    /* bytes after the node's name */
};

struct shape {
	uint8_t count_size;
	uint8_t counts; /* enum counts */
	uint8_t fixed;
	uint8_t names; /* atoms between the count and the fixed bytes */
};

static const struct shape shapes[256] = {
	[SMALL_INTEGER] = { .fixed = 1 },
	[INTEGER] = { .fixed = 4 },
	[NEW_FLOAT] = { .fixed = 8 },
	[ATOM] = { 2, BYTES, 0, 0 },
	[ATOM_UTF8] = { 2, BYTES, 0, 0 },
	[SMALL_ATOM] = { 1, BYTES, 0, 0 },
	[SMALL_ATOM_UTF8] = { 1, BYTES, 0, 0 },
	[PID] = { .fixed = 9, .names = 1 },
	[NEW_PID] = { .fixed = 12, .names = 1 },
	[PORT] = { .fixed = 5, .names = 1 },
	[NEW_PORT] = { .fixed = 8, .names = 1 },
	[V4_PORT] = { .fixed = 12, .names = 1 },
	[NEW_REFERENCE] = { 2, WORDS, 1, 1 },
	[NEWER_REFERENCE] = { 2, WORDS, 4, 1 },
	[SMALL_TUPLE] = { 1, TERMS, 0, 0 },
	[LARGE_TUPLE] = { 4, TERMS, 0, 0 },
	[NIL] = { .fixed = 0 },
	[STRING] = { 2, BYTES, 0, 0 },
	[LIST] = { 4, LIST_TERMS, 0, 0 },
	[BINARY] = { 4, BYTES, 0, 0 },
	[BIT_BINARY] = { 4, BYTES, 1, 0 },
	[SMALL_BIG] = { 1, BYTES, 1, 0 },
	[LARGE_BIG] = { 4, BYTES, 1, 0 },
	[MAP] = { 4, PAIRS, 0, 0 },
};

static bool is_known(uint8_t tag)
{
	const struct shape *shape = &shapes[tag];

	return tag == NIL || tag == EXPORT || shape->fixed || shape->count_size;
}

struct place {
	const uint8_t *bytes;
	size_t size, at;
};

static bool skip(struct place *p, size_t bytes)
{
	if (bytes > p->size - p->at)
		return false;
	p->at += bytes;
	return true;
}

static bool take_number(struct place *p, size_t bytes, size_t *number)
{
	const uint8_t *from = p->bytes + p->at;

	*number = 0;
	if (!skip(p, bytes))
		return false;
	for (size_t i = 0; i < bytes; i++)
		*number = *number << 8 | from[i];
	return true;
}

static bool is_atom(uint8_t tag)
{
	return tag == ATOM || tag == ATOM_UTF8 || tag == SMALL_ATOM || tag == SMALL_ATOM_UTF8;
}

static bool skip_atom(struct place *p)
{
	size_t tag, length;

	return take_number(p, 1, &tag) && is_atom((uint8_t)tag) && take_number(p, shapes[tag].count_size, &length) &&
	       skip(p, length);
}

/* A fun has a length, itself included; its environment is skipped. */
static bool skip_fun(struct place *p)
{
	size_t length;

	return take_number(p, 4, &length) && length >= 4 && skip(p, length - 4);
}

/* Skips a term without the terms inside it; `terms` gets the number of those. */
static bool skip_one(struct place *p, size_t *terms)
{
	size_t tag, count = 0;
	const struct shape *shape;

	*terms = 0;
	if (!take_number(p, 1, &tag))
		return false;
	if (tag == NEW_FUN)
		return skip_fun(p);
	if (tag == EXPORT) {
		*terms = 3;
		return true;
	}
	shape = &shapes[tag];
	if (!is_known((uint8_t)tag) || !take_number(p, shape->count_size, &count) ||
	    (shape->counts == WORDS && count > REFERENCE_WORDS))
		return false;
	for (int i = 0; i < shape->names; i++) {
		if (!skip_atom(p))
			return false;
	}
	if (shape->counts == TERMS || shape->counts == PAIRS || shape->counts == LIST_TERMS)
		*terms = shape->counts == PAIRS ? 2 * count : count + (shape->counts == LIST_TERMS);
	return skip(p, shape->fixed + (shape->counts == BYTES ? count : shape->counts == WORDS ? 4 * count : 0));
}

size_t external_end(const char *bytes, size_t size, size_t at)
{
	struct place p = { (const uint8_t *)bytes, size, at < size ? at : size };

	for (size_t left = 1, terms; left; left += terms) {
		/* Each term takes at least one byte. */
		if (left > p.size - p.at || !skip_one(&p, &terms))
			return 0;
		left--;
	}
	return p.at;
}
