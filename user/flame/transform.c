// SPDX-License-Identifier: BSD-2-Clause
/* Transforms profiles: each stack of one is changed and added to a new one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "flame/profile.h"
#include "flame/profile_parts.h"

#define LONGEST_CYCLE 16 /* number of functions in a recursive cycle */

struct copy {
	const struct profile *from;
	struct profile *to;
	uint32_t *numbers;  /* frame numbers of `from` in `to` */
	uint64_t times, by; /* the weights of the base are scaled by times / by */
};

/*
 * Prepares a copy: the frames of the old profile, with or without lines. The code of a function may be in several files
 * (macros), so the file is kept only with the line. 0, or -1 and errno.
 */
static int copy_begin(struct copy *copy, struct profile *to, const struct profile *from, bool has_lines)
{
	*copy = (struct copy){ .from = from, .to = to };
	copy->numbers = to ? malloc(from->frame_count * sizeof(*copy->numbers) + 1) : NULL;
	if (!copy->numbers)
		return -1;
	for (uint32_t i = 0; i < from->frame_count; i++) {
		const struct function *function = profile_function(from, i);

		copy->numbers[i] = profile_frame(to, function->kind, function->name, has_lines ? function->file : NULL,
						 has_lines ? from->frames[i].line : 0);
	}
	return 0;
}

static void add_both(struct profile *to, const uint32_t *frames, size_t count, const struct stack *weights)
{
	profile_add(to, frames, count, weights->value);
	if (to->is_difference)
		profile_add_before(to, frames, count, weights->before);
}

static void translate(const struct copy *copy, const struct stack *stack, uint32_t *frames)
{
	for (size_t i = 0; i < stack->count; i++)
		frames[i] = copy->numbers[stack->frames[i]];
}

static void copy_stack(void *data, const struct stack *stack)
{
	const struct copy *copy = data;
	uint32_t frames[PROFILE_DEPTH + 1];

	translate(copy, stack, frames);
	add_both(copy->to, frames, stack->count, stack);
}

/* A copy must be complete, or it is freed. */
static struct profile *if_whole(struct profile *to, uint64_t lost)
{
	if (to->lost == lost)
		return to;
	profile_free(to);
	return NULL;
}

/* The caller owns `to`; it is freed on failure. */
static struct profile *copied(struct profile *to, const struct profile *from, bool has_lines,
			      void (*each)(void *data, const struct stack *stack))
{
	struct copy copy;

	if (copy_begin(&copy, to, from, has_lines)) {
		profile_free(to);
		return NULL;
	}
	profile_each_stack(from, each, &copy);
	free(copy.numbers);
	return if_whole(to, from->lost);
}

struct profile *profile_copy(const struct profile *profile, bool has_lines)
{
	return copied(profile_like(profile), profile, has_lines, copy_stack);
}

/* --- Recursion ------------------------------------------------------------------------------------------------ */

static bool is_same_function(const struct profile *profile, uint32_t a, uint32_t b)
{
	return profile->frames[a].function == profile->frames[b].function;
}

/* Do the last frames repeat the same number of frames before them? */
static bool repeats(const struct profile *profile, const uint32_t *frames, size_t count, size_t length)
{
	if (count < 2 * length)
		return false;
	for (size_t i = 1; i <= length; i++) {
		if (!is_same_function(profile, frames[count - i], frames[count - i - length]))
			return false;
	}
	return true;
}

/* The number of frames without the repetition at the end. */
static size_t fold_end(const struct profile *profile, const uint32_t *frames, size_t count)
{
	for (size_t length = 1; length <= LONGEST_CYCLE; length++) {
		if (repeats(profile, frames, count, length))
			return count - length;
	}
	return count;
}

static void fold_stack(void *data, const struct stack *stack)
{
	const struct copy *copy = data;
	uint32_t frames[PROFILE_DEPTH + 1];
	struct stack folded = { .frames = frames, .value = stack->value, .before = stack->before };

	for (size_t i = 0; i < stack->count; i++) {
		frames[folded.count++] = stack->frames[i];
		folded.count = fold_end(copy->from, frames, folded.count);
	}
	copy_stack(data, &folded);
}

struct profile *profile_fold_recursion(const struct profile *profile)
{
	return copied(profile_like(profile), profile, true, fold_stack);
}

/* --- Difference ------------------------------------------------------------------------------------------------ */

/* No value exceeds the total by which it is divided, so the result fits. */
static uint64_t scaled(const struct copy *copy, uint64_t value)
{
	return (uint64_t)(((unsigned __int128)value * copy->times + copy->by / 2) / copy->by);
}

static void add_scaled_before(void *data, const struct stack *stack)
{
	const struct copy *copy = data;
	uint32_t frames[PROFILE_DEPTH + 1];

	translate(copy, stack, frames);
	profile_add_before(copy->to, frames, stack->count, scaled(copy, stack->value));
}

/* Sets the title of the difference. 0 or -1. */
static int name_difference(struct profile *to, const struct profile *before, const struct profile *after)
{
	char *title;

	if (asprintf(&title, "%s compared with %s", after->title, before->title) < 0)
		return -1;
	free(to->title);
	to->title = title;
	return 0;
}

/* In a difference, only the later weights count. */
static struct profile *copy_after(const struct profile *after)
{
	struct profile *to = profile_like(after);

	if (to)
		to->is_difference = false;
	to = copied(to, after, true, copy_stack);
	if (to)
		to->is_difference = true;
	return to;
}

struct profile *profile_difference(const struct profile *before, const struct profile *after, bool is_normalised)
{
	struct profile *to = copy_after(after);
	struct copy copy;

	if (!to)
		return NULL;
	profile_lost(to, before->lost);
	profile_lost_cases(to, before->lost_cases);
	profile_limit(to, profile_sum(before->limit, after->limit));
	if (name_difference(to, before, after) || copy_begin(&copy, to, before, true)) {
		profile_free(to);
		return NULL;
	}
	is_normalised &= before->total && after->total;
	copy.times = is_normalised ? after->total : 1;
	copy.by = is_normalised ? before->total : 1;
	profile_each_stack(before, add_scaled_before, &copy);
	free(copy.numbers);
	return if_whole(to, profile_sum(before->lost, after->lost));
}

/* --- Sums ------------------------------------------------------------------------------------------------------- */

struct merge {
	struct copy copy;
	bool (*wants)(void *data, const char *group);
	void *data;
};

static bool is_wanted(const struct merge *merge, const struct stack *stack)
{
	const struct function *first = stack->count ? profile_function(merge->copy.from, stack->frames[0]) : NULL;

	return first && first->kind == FRAME_GROUP && merge->wants(merge->data, first->name);
}

static void merge_stack(void *data, const struct stack *stack)
{
	const struct merge *merge = data;
	uint32_t frames[PROFILE_DEPTH + 1];
	size_t left_out = merge->wants ? 1 : 0;

	if (merge->wants && !is_wanted(merge, stack))
		return;
	translate(&merge->copy, stack, frames);
	profile_add(merge->copy.to, frames + left_out, stack->count - left_out, stack->value);
}

int profile_merge(struct profile *to, const struct profile *from, bool (*wants)(void *data, const char *group),
		  void *data)
{
	struct merge merge = { .wants = wants, .data = data };

	if (copy_begin(&merge.copy, to, from, true))
		return -ENOMEM;
	profile_each_stack(from, merge_stack, &merge);
	profile_lost(to, from->lost);
	profile_lost_cases(to, from->lost_cases);
	free(merge.copy.numbers);
	return 0;
}
