// SPDX-License-Identifier: BSD-2-Clause
/*
 * The size of a map is in its header. A list must be walked; but after a garbage collection, its cells are adjacent,
 * each with its element.
 *
 * Source: erl_map.h, and ProcDict in erl_process_dict.h, in 25.2.3, 27.3.4.1 and 29.1.1; term.h.
 */
#include "node/names/live_terms.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "node/code/stack.h"
#include "target/reader/procfs.h"
#include "term.h"

#define MOST_WAITING 64
#define MOST_LISTS 64
#define BLOCK (64 << 10) /* bytes of a list per read */
#define MOST_TERMS 128	 /* visited, each with a system call */
#define TERM_WORDS 33	 /* of a tuple or small map, including the header */
#define SMALL_MAP 32	 /* pairs; larger maps are trees */
#define DICTIONARY_ELEMENTS 16

struct walk {
	const struct target *target;
	uint64_t waiting[MOST_WAITING], lists[MOST_LISTS];
	size_t count, list_count, looked_at;
	uint64_t pairs;
};

static void push(struct walk *walk, uint64_t term)
{
	if (TERM_TAG(term) == TERM_TAG_BOXED && walk->count < MOST_WAITING)
		walk->waiting[walk->count++] = term;
	if (TERM_TAG(term) == TERM_TAG_LIST && walk->list_count < MOST_LISTS)
		walk->lists[walk->list_count++] = term;
}

static void push_all(struct walk *walk, const uint64_t *terms, uint64_t count, uint64_t most)
{
	for (uint64_t i = 0; i < count && i < most; i++)
		push(walk, terms[i]);
}

/* Near the end of a heap, less is readable. */
static uint64_t read_term(const struct target *target, uint64_t address, uint64_t words[TERM_WORDS])
{
	uint64_t count = TERM_WORDS;

	while (count > 1 && procfs_memory(target->pid, address, words, count * 8))
		count /= 2;
	return count;
}

static void look_at(struct walk *walk, uint64_t term)
{
	unsigned int map = walk->target->vm->otp < 27 ? TERM_25_MAP : TERM_27_MAP;
	uint64_t words[TERM_WORDS], count = read_term(walk->target, TERM_ADDRESS(term), words), size;

	if (count < 2 || TERM_TAG(words[0]) != TERM_TAG_HEADER)
		return;
	if (TERM_HEADER_SUBTAG(words[0]) == TERM_TUPLE)
		push_all(walk, words + 1, TERM_HEADER_ARITY(words[0]), count - 1);
	if (TERM_HEADER_SUBTAG(words[0]) != map)
		return;
	size = words[TERM_MAP_SIZE / 8];
	walk->pairs += size;
	if (TERM_MAP_KIND(words[0]) == TERM_MAP_FLAT && size <= SMALL_MAP && count > TERM_MAP_VALUES / 8)
		push_all(walk, words + TERM_MAP_VALUES / 8, size, count - TERM_MAP_VALUES / 8);
}

/* The memory read around the last cell. */
struct block {
	uint64_t from, words[BLOCK / 8];
	size_t size;
};

/* A list goes up or down in memory, depending on whether it was built or collected. */
static bool read_word(const struct target *target, struct block *block, uint64_t address, size_t *left, uint64_t *word)
{
	size_t size = BLOCK;

	/* At the end of a heap, less is readable. */
	while (address - block->from >= block->size && size >= sizeof(*word)) {
		if (*left < size)
			return false;
		*left -= size;
		block->from = address & ~(uint64_t)(size - 1);
		block->size = procfs_memory(target->pid, block->from, block->words, size) ? 0 : size;
		size /= 2;
	}
	*word = block->size ? block->words[(address - block->from) / 8] : 0;
	return block->size != 0;
}

/* False: it exceeds the limit of bytes. */
static bool count_list(const struct target *target, struct block *block, uint64_t list, size_t *left,
		       uint64_t *elements)
{
	while (TERM_TAG(list) == TERM_TAG_LIST) {
		if (!read_word(target, block, TERM_ADDRESS(list) + 8, left, &list))
			return false;
		++*elements;
	}
	return true;
}

static uint64_t count_lists(const struct walk *walk, size_t *left)
{
	_cleanup_free_ struct block *block = calloc(1, sizeof(*block));
	uint64_t elements = 0;

	for (size_t i = 0; i < walk->list_count; i++) {
		if (!block || !count_list(walk->target, block, walk->lists[i], left, &elements))
			return 0;
	}
	return elements;
}

void live_terms_count(const struct target *target, const struct name_fields *fields, size_t *left,
		      struct live_terms *terms)
{
	struct walk walk = { .target = target };
	uint64_t words[ERL_STACK_WORDS], address;
	size_t count = stack_words(&fields->stack, &address);

	*terms = (struct live_terms){};
	if (!count || procfs_memory(target->pid, address, words, count * 8))
		return;
	for (size_t i = 0; i < count; i++) {
		if (!stack_is_return(&fields->stack, words[i]))
			push(&walk, words[i]);
	}
	while (walk.count && walk.looked_at++ < MOST_TERMS)
		look_at(&walk, walk.waiting[--walk.count]);
	terms->pairs = walk.pairs;
	terms->elements = count_lists(&walk, left);
}

uint64_t dictionary_elements(const struct target *target, uint64_t dictionary)
{
	uint32_t elements;

	if (!dictionary || procfs_memory(target->pid, dictionary + DICTIONARY_ELEMENTS, &elements, sizeof(elements)))
		return 0;
	return elements;
}
