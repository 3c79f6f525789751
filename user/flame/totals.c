// SPDX-License-Identifier: BSD-2-Clause
#include "flame/profile_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"

struct tally {
	const struct profile *profile;
	struct function_total *totals; /* one per function */
	uint64_t *seen;		       /* the number of the last stack that contains it */
	uint64_t stack;
};

static void count_frame(struct tally *tally, const struct stack *stack, uint32_t frame)
{
	uint32_t function = tally->profile->frames[frame].function;
	struct function_total *total = &tally->totals[function];

	if (tally->seen[function] == tally->stack)
		return;
	tally->seen[function] = tally->stack;
	total->total = profile_sum(total->total, stack->value);
	total->total_before = profile_sum(total->total_before, stack->before);
}

static void count_stack(void *data, const struct stack *stack)
{
	struct tally *tally = data;
	struct function_total *leaf;

	tally->stack++;
	for (size_t i = 0; i < stack->count; i++)
		count_frame(tally, stack, stack->frames[i]);
	if (!stack->count)
		return;
	leaf = &tally->totals[tally->profile->frames[stack->frames[stack->count - 1]].function];
	leaf->self = profile_sum(leaf->self, stack->value);
	leaf->self_before = profile_sum(leaf->self_before, stack->before);
}

/* Removes groups, which are not functions. */
static size_t leave_groups(const struct profile *profile, struct function_total *totals)
{
	size_t count = 0;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		totals[i].function = i;
		if (profile->functions[i].kind != FRAME_GROUP)
			totals[count++] = totals[i];
	}
	return count;
}

struct function_total *totals_make(const struct profile *profile, size_t *count)
{
	_cleanup_free_ uint64_t *seen = calloc(profile->function_count + 1, sizeof(*seen));
	struct tally tally = { .profile = profile, .seen = seen };

	tally.totals = calloc(profile->function_count + 1, sizeof(*tally.totals));
	if (!seen || !tally.totals) {
		free(tally.totals);
		return NULL;
	}
	profile_each_stack(profile, count_stack, &tally);
	*count = leave_groups(profile, tally.totals);
	return tally.totals;
}

const char *weight_format(const struct profile *profile, uint64_t weight, char buf[WEIGHT_SIZE])
{
	if (!strcmp(profile->unit, "ns"))
		return duration_format(weight, buf);
	snprintf(buf, WEIGHT_SIZE, "%" PRIu64, weight);
	return buf;
}

double weight_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}
