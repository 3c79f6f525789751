// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source: erl_create_process() and STACK_START() in erl_process.c and erl_process.h, OTP 25.2.3, 27.3.4.1 and 29.1.1.
 */
#include "node/code/stack.h"

static uint64_t end_of(const struct stack_place *place)
{
	return place->heap + place->size * 8;
}

size_t stack_words(const struct stack_place *place, uint64_t *address)
{
	uint64_t end = end_of(place), words;

	if (place->stop < place->heap || place->stop >= end)
		return 0;
	/* Without the first word. */
	words = (end - place->stop) / 8 - 1;
	if (words > ERL_STACK_WORDS)
		words = ERL_STACK_WORDS;
	*address = end - (words + 1) * 8;
	return words;
}

/* A frame pointer (+JPperf true) has the same tag, and points into the stack. */
bool stack_is_return(const struct stack_place *place, uint64_t word)
{
	return word && !(word & 3) && (word < place->heap || word > end_of(place));
}

size_t stack_oldest_return(const struct stack_place *place, const uint64_t *words, size_t count)
{
	while (count && !stack_is_return(place, words[count - 1]))
		count--;
	return count;
}
