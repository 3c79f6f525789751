// SPDX-License-Identifier: BSD-2-Clause
/* Source: size_object() in copy.c of OTP 25, 27 and 29, and term.h. Terms built or collected together are adjacent. */
#include "node/terms/term_size.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "target/reader/procfs.h"
#include "term.h"

#define PAGE 4096
#define BLOCK (4 * PAGE) /* bytes per read, or a page if not all is readable */
#define MOST_BLOCKS 64	 /* one or two system calls each */
#define MOST_WAITING 64	 /* pending terms; further ones are not counted */
#define CELL_WORDS 2
#define MOST_FIELDS 1024 /* of a tuple that are followed */

struct reader {
	const struct target *target;
	uint64_t from, size; /* range of the bytes in `words` */
	unsigned int blocks;
	uint64_t words[BLOCK / 8];
};

static bool read_around(struct reader *r, uint64_t address, uint64_t size)
{
	r->from = address & ~(size - 1);
	r->size = procfs_memory(r->target->pid, r->from, r->words, size) ? 0 : size;
	return r->size != 0;
}

static bool read_word(struct reader *r, uint64_t address, uint64_t *word)
{
	if (address - r->from >= r->size &&
	    (r->blocks++ >= MOST_BLOCKS || (!read_around(r, address, BLOCK) && !read_around(r, address, PAGE))))
		return false;
	*word = r->words[(address - r->from) / 8];
	return true;
}

static bool read_cell(struct reader *r, uint64_t list, uint64_t *head, uint64_t *tail)
{
	uint64_t cell = TERM_ADDRESS(list);

	return read_word(r, cell, head) && read_word(r, cell + 8, tail);
}

struct pending_terms {
	uint64_t terms[MOST_WAITING];
	size_t count;
};

static void push(struct pending_terms *pending, uint64_t term)
{
	bool is_compound = TERM_TAG(term) == TERM_TAG_LIST || TERM_TAG(term) == TERM_TAG_BOXED;

	if (is_compound && pending->count < MOST_WAITING)
		pending->terms[pending->count++] = term;
}

static void push_all(struct reader *r, uint64_t address, uint64_t count, struct pending_terms *pending)
{
	uint64_t field;

	for (uint64_t i = 0; i < count && i < MOST_FIELDS && read_word(r, address + i * 8, &field); i++)
		push(pending, field);
}

/* The environment of a fun follows its fixed part. */
static uint64_t count_fun(struct reader *r, uint64_t address, uint64_t header, struct pending_terms *pending)
{
	uint64_t at = TERM_27_FUN_BOUND, bound = header >> 16, numbers;

	if (r->target->vm->otp < 27) {
		if (!read_word(r, address + TERM_25_FUN_NUMBERS, &numbers))
			return 0;
		at = TERM_25_FUN_BOUND;
		bound = numbers >> 8;
	}
	push_all(r, address + at, bound & 0xff, pending);
	return at / 8 + (bound & 0xff);
}

/* The size of any kind of map follows its header. False: not a map. */
static bool read_pairs(struct reader *r, uint64_t term, uint64_t *pairs)
{
	unsigned int map = r->target->vm->otp < 27 ? TERM_25_MAP : TERM_27_MAP;
	uint64_t address = TERM_ADDRESS(term), header;

	return read_word(r, address, &header) && TERM_TAG(header) == TERM_TAG_HEADER &&
	       TERM_HEADER_SUBTAG(header) == map && read_word(r, address + TERM_MAP_SIZE, pairs);
}

static uint64_t count_boxed(struct reader *r, uint64_t term, struct pending_terms *pending)
{
	uint64_t address = TERM_ADDRESS(term), header, size = 0;

	if (read_pairs(r, term, &size))
		return 2 * size;
	if (!read_word(r, address, &header) || TERM_TAG(header) != TERM_TAG_HEADER)
		return 0;
	if (TERM_HEADER_SUBTAG(header) == TERM_FUN)
		return count_fun(r, address, header, pending);
	if (TERM_HEADER_SUBTAG(header) != TERM_TUPLE)
		return 1;
	size = TERM_HEADER_ARITY(header);
	push_all(r, address + 8, size, pending);
	return 1 + size;
}

static uint64_t count_list(struct reader *r, uint64_t list, uint64_t most, struct pending_terms *pending)
{
	uint64_t words = 0, head;

	while (TERM_TAG(list) == TERM_TAG_LIST && words < most && read_cell(r, list, &head, &list)) {
		push(pending, head);
		words += CELL_WORDS;
	}
	return words;
}

uint64_t term_words(const struct target *target, uint64_t term, uint64_t most)
{
	struct reader r = { .target = target };
	struct pending_terms pending = { .count = 0 };
	uint64_t words = 0;

	push(&pending, term);
	while (pending.count && words < most && r.blocks <= MOST_BLOCKS) {
		uint64_t next = pending.terms[--pending.count];

		words += TERM_TAG(next) == TERM_TAG_LIST ? count_list(&r, next, most - words, &pending)
							 : count_boxed(&r, next, &pending);
	}
	return words < most ? words : most;
}

uint64_t term_elements(const struct target *target, uint64_t term, uint64_t most)
{
	struct reader r = { .target = target };
	uint64_t elements = 0, head;

	if (TERM_TAG(term) == TERM_TAG_BOXED)
		read_pairs(&r, term, &elements);
	while (TERM_TAG(term) == TERM_TAG_LIST && elements < most && read_cell(&r, term, &head, &term))
		elements++;
	return elements < most ? elements : most;
}
