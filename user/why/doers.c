// SPDX-License-Identifier: BSD-2-Clause
#include "why/doers.h"

#include <string.h>

#include "why/who.h"

static bool begins_so(const char *name, const char *const *begins)
{
	while (*begins && strncmp(name, *begins, strlen(*begins)) != 0)
		begins++;
	return *begins;
}

bool doers_match(struct processes *processes, const struct call_stack *frames, const char *const *begins, size_t depth)
{
	char text[SIGN_NAME];

	for (size_t i = 0; i < frames->count && i < depth; i++) {
		who_function(processes, frames->functions[i], text);
		if (begins_so(text, begins))
			return true;
	}
	return false;
}

void doers_find(struct processes *processes, const struct samples *samples, const char *const *begins, size_t depth,
		struct sign_who *who)
{
	const struct sampled *all, *best = NULL;
	const struct call_stack *frames = NULL;
	size_t count = samples_all(samples, &all);
	uint32_t most = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < SAMPLES_VOTES; k++) {
			if (all[i].votes[k].hits <= most ||
			    !doers_match(processes, &all[i].votes[k].frames, begins, depth))
				continue;
			most = all[i].votes[k].hits;
			best = &all[i];
			frames = &all[i].votes[k].frames;
		}
	}
	*who = (struct sign_who){ .busy = samples_share(samples, best) };
	if (best)
		who_fill(processes, processes_target(processes), best->id, frames, who);
}
