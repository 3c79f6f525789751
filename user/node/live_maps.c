// SPDX-License-Identifier: BSD-2-Clause
/*
 * A map has its number of pairs in front, however large it is, so that nothing has to be walked through.
 *
 * Source: erl_map.h, and ProcDict of erl_process_dict.h, in 25.2.3, 27.3.4.1 and 29.1.1; term.h.
 */
#include "node/live_maps.h"

#include <stddef.h>

#include "node/stack.h"
#include "target/procfs.h"
#include "term.h"

#define MOST_WAITING 64
#define MOST_TERMS 128 /* that are looked at, each with a system call */
#define TERM_WORDS 33  /* of a tuple or small map, with its header */
#define SMALL_MAP 32   /* pairs; larger ones are trees */
#define DICTIONARY_ELEMENTS 16

struct walk {
	const struct target *target;
	uint64_t waiting[MOST_WAITING];
	size_t count, looked_at;
	uint64_t pairs;
};

static void push(struct walk *walk, uint64_t term)
{
	if (TERM_TAG(term) == TERM_TAG_BOXED && walk->count < MOST_WAITING)
		walk->waiting[walk->count++] = term;
}

static void push_all(struct walk *walk, const uint64_t *terms, uint64_t count, uint64_t most)
{
	for (uint64_t i = 0; i < count && i < most; i++)
		push(walk, terms[i]);
}

/* Of what is near the end of a heap, less can be read. */
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

uint64_t live_maps_pairs(const struct target *target, const struct name_fields *fields)
{
	struct walk walk = { .target = target };
	uint64_t words[ERL_STACK_WORDS], address;
	size_t count = stack_words(&fields->stack, &address);

	if (!count || procfs_memory(target->pid, address, words, count * 8))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (!stack_is_return(&fields->stack, words[i]))
			push(&walk, words[i]);
	}
	while (walk.count && walk.looked_at++ < MOST_TERMS)
		look_at(&walk, walk.waiting[--walk.count]);
	return walk.pairs;
}

uint64_t dictionary_elements(const struct target *target, uint64_t dictionary)
{
	uint32_t elements;

	if (!dictionary || procfs_memory(target->pid, dictionary + DICTIONARY_ELEMENTS, &elements, sizeof(elements)))
		return 0;
	return elements;
}
