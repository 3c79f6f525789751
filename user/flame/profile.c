// SPDX-License-Identifier: BSD-2-Clause
#include "flame/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/array.h"
#include "base/hash.h"
#include "flame/profile_parts.h"

#define SLOT_BYTES 16 /* per number in a table that is half full */
#define ROOT 0

struct profile *profile_new(const char *title, const char *unit)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->limit = PROFILE_BYTES;
	profile->title = strdup(title);
	profile->unit = strdup(unit);
	if (getrandom(&profile->seed, sizeof(profile->seed), GRND_NONBLOCK) < 0)
		profile->seed = (uintptr_t)profile;
	if (!profile->title || !profile->unit || !array_has_room_for(profile->nodes, profile->node_room, 1)) {
		profile_free(profile);
		errno = ENOMEM;
		return NULL;
	}
	profile->nodes[profile->node_count++] = (struct node){ .frame = PROFILE_NO_FRAME };
	return profile;
}

struct profile *profile_like(const struct profile *profile)
{
	struct profile *like = profile_new(profile->title, profile->unit);

	if (!like)
		return NULL;
	profile_limit(like, profile->limit);
	profile_times(like, profile->start_unix_ns, profile->duration_ns, profile->period_ns);
	profile_lost(like, profile->lost);
	profile_lost_cases(like, profile->lost_cases);
	like->is_difference = profile->is_difference;
	return like;
}

static void free_texts(const struct function *function)
{
	free((char *)function->name);
	free((char *)function->file);
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->function_count; i++)
		free_texts(&profile->functions[i]);
	free(profile->functions);
	free(profile->frames);
	free(profile->nodes);
	intern_free(&profile->function_numbers);
	intern_free(&profile->frame_numbers);
	intern_free(&profile->node_numbers);
	free(profile->title);
	free(profile->unit);
	free(profile);
}

void profile_limit(struct profile *profile, size_t bytes)
{
	profile->limit = bytes;
}

size_t profile_bytes(const struct profile *profile)
{
	return profile->bytes;
}

void profile_lost(struct profile *profile, uint64_t value)
{
	profile->lost = profile_sum(profile->lost, value);
}

void profile_lost_cases(struct profile *profile, uint64_t count)
{
	profile->lost_cases = profile_sum(profile->lost_cases, count);
}

uint64_t profile_lost_weight(const struct profile *profile)
{
	return profile->lost;
}

bool profile_is_empty(const struct profile *profile)
{
	return !profile->total && !profile->before;
}

void profile_least(struct profile *profile, double percent)
{
	profile->least = percent;
}

void profile_times(struct profile *profile, uint64_t start_unix_ns, uint64_t duration_ns, uint64_t period_ns)
{
	profile->start_unix_ns = start_unix_ns;
	profile->duration_ns = duration_ns;
	profile->period_ns = period_ns;
}

/* --- Frames -------------------------------------------------------------------------------------------------- */

/* Reserves memory. False: over the limit. */
static bool take_bytes(struct profile *profile, size_t bytes)
{
	if (bytes > profile->limit || profile->bytes > profile->limit - bytes)
		return false;
	profile->bytes += bytes;
	return true;
}

static uint32_t hash_of_text(const struct profile *profile, unsigned int kind, const char *name, const char *file)
{
	uint64_t hash = fnv64(profile->seed + kind, name, strlen(name) + 1);

	hash = fnv64(hash, file, strlen(file));
	return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t hash_of_pair(const struct profile *profile, uint32_t first, uint32_t second)
{
	const uint32_t pair[] = { first, second };
	uint64_t hash = fnv64(profile->seed, pair, sizeof(pair));

	return (uint32_t)(hash ^ hash >> 32);
}

static bool is_function(const struct function *function, enum frame_kind kind, const char *name, const char *file)
{
	return function->kind == kind && !strcmp(function->name, name) && !strcmp(function->file, file);
}

/* Adds the index of a new item to the table. PROFILE_NO_FRAME: out of memory. */
static uint32_t put_number(struct intern *table, uint32_t hash, size_t number)
{
	return number >= PROFILE_NO_FRAME || intern_put(table, hash, (uint32_t)number) ? PROFILE_NO_FRAME
										       : (uint32_t)number;
}

static uint32_t new_function(struct profile *profile, uint32_t hash, const struct function *like)
{
	size_t bytes = sizeof(*like) + strlen(like->name) + strlen(like->file) + SLOT_BYTES;
	struct function *function;
	uint32_t number;

	if (!take_bytes(profile, bytes) ||
	    !array_has_room_for(profile->functions, profile->function_room, profile->function_count + 1))
		return PROFILE_NO_FRAME;
	function = &profile->functions[profile->function_count];
	*function = (struct function){ strdup(like->name), strdup(like->file), like->kind };
	number = function->name && function->file
			 ? put_number(&profile->function_numbers, hash, profile->function_count)
			 : PROFILE_NO_FRAME;
	if (number == PROFILE_NO_FRAME)
		free_texts(function);
	else
		profile->function_count++;
	return number;
}

static uint32_t find_function(struct profile *profile, const struct function *wanted)
{
	uint32_t hash = hash_of_text(profile, wanted->kind, wanted->name, wanted->file);

	for (struct intern_search search = { .hash = hash }; intern_next(&profile->function_numbers, &search);) {
		if (is_function(&profile->functions[search.number], wanted->kind, wanted->name, wanted->file))
			return search.number;
	}
	return new_function(profile, hash, wanted);
}

static uint32_t new_frame(struct profile *profile, uint32_t hash, struct frame frame)
{
	uint32_t number;

	if (!take_bytes(profile, sizeof(frame) + SLOT_BYTES) ||
	    !array_has_room_for(profile->frames, profile->frame_room, profile->frame_count + 1))
		return PROFILE_NO_FRAME;
	number = put_number(&profile->frame_numbers, hash, profile->frame_count);
	if (number != PROFILE_NO_FRAME)
		profile->frames[profile->frame_count++] = frame;
	return number;
}

uint32_t profile_frame(struct profile *profile, enum frame_kind kind, const char *name, const char *file,
		       unsigned int line)
{
	const struct function wanted = { .name = name, .file = file ? file : "", .kind = kind };
	uint32_t function = find_function(profile, &wanted), hash;

	if (function == PROFILE_NO_FRAME)
		return PROFILE_NO_FRAME;
	hash = hash_of_pair(profile, function, line);
	for (struct intern_search search = { .hash = hash }; intern_next(&profile->frame_numbers, &search);) {
		const struct frame *frame = &profile->frames[search.number];

		if (frame->function == function && frame->line == line)
			return search.number;
	}
	return new_frame(profile, hash, (struct frame){ function, line });
}

/* --- Stacks -------------------------------------------------------------------------------------------------- */

static uint32_t new_node(struct profile *profile, uint32_t hash, uint32_t parent, uint32_t frame)
{
	uint32_t number;

	if (!take_bytes(profile, sizeof(struct node) + SLOT_BYTES) ||
	    !array_has_room_for(profile->nodes, profile->node_room, profile->node_count + 1))
		return PROFILE_NO_FRAME;
	number = put_number(&profile->node_numbers, hash, profile->node_count);
	if (number != PROFILE_NO_FRAME)
		profile->nodes[profile->node_count++] = (struct node){ .parent = parent, .frame = frame };
	return number;
}

/* The child of `parent` with that frame, created if necessary. */
static uint32_t step(struct profile *profile, uint32_t parent, uint32_t frame)
{
	uint32_t hash = hash_of_pair(profile, parent, frame);

	if (parent == PROFILE_NO_FRAME || frame >= profile->frame_count)
		return PROFILE_NO_FRAME;
	for (struct intern_search search = { .hash = hash }; intern_next(&profile->node_numbers, &search);) {
		const struct node *node = &profile->nodes[search.number];

		if (node->parent == parent && node->frame == frame)
			return search.number;
	}
	return new_node(profile, hash, parent, frame);
}

static bool is_group(const struct profile *profile, uint32_t frame)
{
	return frame < profile->frame_count && profile_function(profile, frame)->kind == FRAME_GROUP;
}

/* The node of a stack. A stack that is too deep is cut behind its groups at the root. */
static uint32_t find_end(struct profile *profile, const uint32_t *frames, size_t count)
{
	uint32_t node = ROOT;
	size_t i = 0;

	while (i < count && i < PROFILE_DEPTH && is_group(profile, frames[i]))
		node = step(profile, node, frames[i++]);
	if (count > PROFILE_DEPTH) {
		i += count - PROFILE_DEPTH;
		node = step(profile, node, profile_frame(profile, FRAME_STATE, PROFILE_CUT, NULL, 0));
	}
	while (i < count)
		node = step(profile, node, frames[i++]);
	return node;
}

static void add(struct profile *profile, const struct stack *stack)
{
	uint32_t node = find_end(profile, stack->frames, stack->count);

	if (node == PROFILE_NO_FRAME) {
		profile_lost(profile, profile_sum(stack->value, stack->before));
		return;
	}
	profile->nodes[node].value = profile_sum(profile->nodes[node].value, stack->value);
	profile->nodes[node].before = profile_sum(profile->nodes[node].before, stack->before);
	profile->total = profile_sum(profile->total, stack->value);
	profile->before = profile_sum(profile->before, stack->before);
}

void profile_add(struct profile *profile, const uint32_t *frames, size_t count, uint64_t value)
{
	add(profile, &(struct stack){ frames, count, value, 0 });
}

void profile_add_before(struct profile *profile, const uint32_t *frames, size_t count, uint64_t value)
{
	profile->is_difference = true;
	add(profile, &(struct stack){ frames, count, 0, value });
}

/* Writes the frames from the root to a node to the end of `frames`, which has room for all; returns their number. */
static size_t collect(const struct profile *profile, uint32_t node, uint32_t *frames, size_t room)
{
	size_t count = 0;

	for (; node != ROOT && count < room; node = profile->nodes[node].parent)
		frames[room - ++count] = profile->nodes[node].frame;
	return count;
}

void profile_each_stack(const struct profile *profile, void (*each)(void *data, const struct stack *stack), void *data)
{
	uint32_t frames[PROFILE_DEPTH + 1]; /* and PROFILE_CUT */
	const size_t room = sizeof(frames) / sizeof(*frames);

	for (uint32_t i = 0; i < profile->node_count; i++) {
		const struct node *node = &profile->nodes[i];
		size_t count;

		if (!node->value && !node->before)
			continue;
		count = collect(profile, i, frames, room);
		each(data, &(struct stack){ &frames[room - count], count, node->value, node->before });
	}
}
