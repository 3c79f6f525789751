// SPDX-License-Identifier: BSD-2-Clause
/*
 * Who waits for a value to change in a loop asks for the same, from the same place, each time that it is looked at. Who
 * works, and needs the same setting for each part of that, calls other functions of the VM, too.
 *
 * The arguments of a function that is over are still there, but for the first, where its result is: so that they are
 * the same most times is enough.
 */
#include "why/repeats.h"

#include <string.h>

#include "why/signs.h"
#include "why/who.h"

#define LEAST_LOOKS 20
#define SAME_PLACE 0.95 /* of the looks */
#define SAME_TERM 0.6

/* Functions that say how something is, and how many of their arguments say what. */
static const struct {
	const char *begin;
	size_t arguments;
} known[] = {
	{ "ets:lookup/2", 2 },	       { "ets:lookup_element/", 2 }, { "ets:member/2", 2 },
	{ "persistent_term:get/", 1 }, { "atomics:get/2", 2 },	     { "erts_internal:counters_get/2", 2 },
	{ "erlang:whereis/1", 1 },
};

static struct repeat *repeat_of(struct repeats *repeats, uint64_t id)
{
	size_t i = 0;

	while (i < repeats->count && repeats->all[i].id != id)
		i++;
	if (i == REPEATS_MOST)
		return NULL;
	if (i == repeats->count)
		repeats->all[repeats->count++] = (struct repeat){ .id = id };
	return &repeats->all[i];
}

/* The one that most of the looks had, if there is one. */
static void vote(struct repeat_argument *argument, uint64_t term)
{
	if (argument->term == term) {
		argument->hits++;
	} else if (++argument->misses > argument->hits) {
		*argument = (struct repeat_argument){ .term = term, .hits = 1 };
	}
}

void repeats_look(struct repeats *repeats, uint64_t id, const struct call_stack *frames, const uint64_t *terms)
{
	struct repeat *repeat = repeat_of(repeats, id);

	if (!repeat)
		return;
	if (!repeat->looks++)
		repeat->frames = *frames;
	repeat->same += repeat->frames.count == frames->count && !memcmp(repeat->frames.functions, frames->functions,
									 frames->count * sizeof(*frames->functions));
	for (size_t i = 0; i < REPEATS_ARGUMENTS; i++)
		vote(&repeat->arguments[i], terms[i]);
}

static bool is_same(const struct repeat *repeat, size_t arguments)
{
	for (size_t i = 0; i < arguments; i++) {
		if (repeat->arguments[i].hits < SAME_TERM * repeat->looks)
			return false;
	}
	return true;
}

bool repeats_is_one(const struct repeats *repeats, struct processes *processes, uint64_t id)
{
	char text[SIGN_NAME];
	size_t i = 0, k = 0;

	while (i < repeats->count && repeats->all[i].id != id)
		i++;
	if (i == repeats->count || repeats->all[i].looks < LEAST_LOOKS ||
	    repeats->all[i].same < SAME_PLACE * repeats->all[i].looks)
		return false;
	who_function(processes, repeats->all[i].frames.functions[0], text);
	while (k < sizeof(known) / sizeof(*known) && strncmp(text, known[k].begin, strlen(known[k].begin)) != 0)
		k++;
	return k < sizeof(known) / sizeof(*known) && is_same(&repeats->all[i], known[k].arguments);
}
