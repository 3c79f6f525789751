// SPDX-License-Identifier: BSD-2-Clause
#include "why/schedulers/stack_match.h"

#include <string.h>

#include "why/source/sign_process.h"

static bool begins_so(const char *name, const char *const *begins)
{
	while (*begins && strncmp(name, *begins, strlen(*begins)) != 0)
		begins++;
	return *begins;
}

bool stack_match(struct processes *processes, const struct call_stack *frames, const char *const *begins, size_t depth)
{
	char text[SIGN_NAME];

	for (size_t i = 0; i < frames->count && i < depth; i++) {
		sign_function(processes, frames->functions[i], text);
		if (begins_so(text, begins))
			return true;
	}
	return false;
}

/* Samples of one process; `frames`: the most frequent matching stack. */
static uint32_t hits_in(struct processes *processes, const struct sampled *sampled, const char *const *begins,
			size_t depth, const struct call_stack **frames)
{
	uint32_t hits = 0, most = 0;

	for (size_t i = 0; i < SAMPLES_VOTES; i++) {
		if (!sampled->votes[i].hits || !stack_match(processes, &sampled->votes[i].frames, begins, depth))
			continue;
		hits += sampled->votes[i].hits;
		if (sampled->votes[i].hits <= most)
			continue;
		most = sampled->votes[i].hits;
		*frames = &sampled->votes[i].frames;
	}
	return hits;
}

uint64_t stack_match_most(struct processes *processes, const struct samples *samples, const char *const *begins,
			  size_t depth, struct sign_process *process)
{
	const struct sampled *all, *best = NULL;
	const struct call_stack *frames = NULL;
	size_t count = samples_all(samples, &all);
	uint32_t most = 0;

	for (size_t i = 0; i < count; i++) {
		const struct call_stack *own = NULL;
		uint32_t hits = hits_in(processes, &all[i], begins, depth, &own);

		if (hits <= most)
			continue;
		most = hits;
		best = &all[i];
		frames = own;
	}
	*process = (struct sign_process){ .busy = samples_share(samples, best) };
	if (best)
		sign_process_fill(processes, best->id, frames, process);
	return most;
}
