// SPDX-License-Identifier: BSD-2-Clause
/*
 * A process that polls a value makes the same call from the same place in each sample. A process that works, and reads
 * the same setting for each part, calls other functions of the VM, too.
 *
 * The arguments of a call that returned are still in memory, except for the first, which is replaced by the result. So
 * it suffices if most samples have the same arguments.
 *
 * A call ends when its arguments change: at the next sample, after a few, or not for long. The last case tells nothing,
 * because a thread without a CPU stays in any call; but most calls of a fast function are seen to end at once. There is
 * no sleep between the samples: on the same CPU, the thread could run only then.
 */
#include "why/schedulers/repeated_calls.h"

#include <string.h>

#include "base/duration.h"
#include "why/source/signs.h"
#include "why/source/sign_process.h"

#define LEAST_LOOKS 20
#define SAME_PLACE 0.95 /* of the samples */
#define SAME_TERM 0.6
#define LEAST_TIMED 8 /* calls */
#define MOST_TIMED 500
#define LONG_NS (200 * NS_PER_US)

/* Functions that read a value, and how many arguments select it. */
static const struct {
	const char *begin;
	size_t arguments;
} known[] = {
	{ "ets:lookup/2", 2 },	       { "ets:lookup_element/", 2 }, { "ets:member/2", 2 },
	{ "persistent_term:get/", 1 }, { "atomics:get/2", 2 },	     { "erts_internal:counters_get/2", 2 },
	{ "erlang:whereis/1", 1 },
};

/* repeats->count: not found. */
static size_t place_of(const struct repeated_calls *repeats, uint64_t id)
{
	size_t i = 0;

	while (i < repeats->count && repeats->all[i].id != id)
		i++;
	return i;
}

static struct repeated_call *repeat_of(struct repeated_calls *repeats, uint64_t id)
{
	size_t i = place_of(repeats, id);

	if (i == REPEATED_MOST)
		return NULL;
	if (i == repeats->count)
		repeats->all[repeats->count++] = (struct repeated_call){ .id = id };
	return &repeats->all[i];
}

/* The majority value of the samples, if there is one. */
static void vote(struct repeated_argument *argument, uint64_t term)
{
	if (argument->term == term) {
		argument->hits++;
	} else if (++argument->misses > argument->hits) {
		*argument = (struct repeated_argument){ .term = term, .hits = 1 };
	}
}

void repeated_calls_look(struct repeated_calls *repeats, uint64_t id, const struct call_stack *frames,
			 const uint64_t *terms)
{
	struct repeated_call *repeat = repeat_of(repeats, id);

	if (!repeat)
		return;
	if (!repeat->looks++)
		repeat->frames = *frames;
	repeat->same += repeat->frames.count == frames->count && !memcmp(repeat->frames.functions, frames->functions,
									 frames->count * sizeof(*frames->functions));
	for (size_t i = 0; i < REPEATED_ARGUMENTS; i++)
		vote(&repeat->arguments[i], terms[i]);
}

static bool is_same(const struct repeated_call *repeat, size_t arguments)
{
	for (size_t i = 0; i < arguments; i++) {
		if (repeat->arguments[i].hits < SAME_TERM * repeat->looks)
			return false;
	}
	return true;
}

static const struct repeated_call *find(const struct repeated_calls *repeats, uint64_t id)
{
	size_t i = place_of(repeats, id);

	return i < repeats->count && repeats->all[i].looks >= LEAST_LOOKS ? &repeats->all[i] : NULL;
}

void repeated_calls_time(struct repeated_calls *repeats, uint64_t id, const struct schedulers *schedulers, size_t i)
{
	uint64_t terms[SCHEDULER_ARGUMENTS] = {}, now[SCHEDULER_ARGUMENTS] = {}, until = duration_now() + LONG_NS;
	struct repeated_call *repeat = repeat_of(repeats, id);
	uint32_t looks = 0;

	if (!repeat || repeat->quick + repeat->slow >= MOST_TIMED || !schedulers_arguments(schedulers, i, terms))
		return;
	do {
		looks++;
		if (!schedulers_arguments(schedulers, i, now))
			return;
	} while (!memcmp(terms, now, REPEATED_ARGUMENTS * sizeof(*now)) && duration_now() < until);
	if (!memcmp(terms, now, REPEATED_ARGUMENTS * sizeof(*now)))
		return;
	repeat->quick += looks == 1;
	repeat->slow += looks > 1;
}

double repeated_calls_slow(const struct repeated_calls *repeats, uint64_t id)
{
	const struct repeated_call *repeat = find(repeats, id);
	uint32_t timed = repeat ? repeat->quick + repeat->slow : 0;

	return timed >= LEAST_TIMED ? (double)repeat->slow / timed : 0;
}

bool repeated_calls_is_loop(const struct repeated_calls *repeats, struct processes *processes, uint64_t id)
{
	const struct repeated_call *repeat = find(repeats, id);
	char text[SIGN_NAME];
	size_t k = 0;

	if (!repeat || repeat->same < SAME_PLACE * repeat->looks)
		return false;
	sign_function(processes, repeat->frames.functions[0], text);
	while (k < sizeof(known) / sizeof(*known) && strncmp(text, known[k].begin, strlen(known[k].begin)) != 0)
		k++;
	return k < sizeof(known) / sizeof(*known) && is_same(repeat, known[k].arguments);
}
