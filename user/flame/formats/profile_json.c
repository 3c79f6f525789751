// SPDX-License-Identifier: BSD-2-Clause
/* JSON lines: one stack per line, the root first, and a summary. */
#include <errno.h>

#include "base/duration.h"
#include "flame/profile.h"
#include "flame/profile_parts.h"
#include "out/json_line.h"

#define TOOL "profile"

static const char *const kinds[FRAME_KINDS] = { "erlang", "bif", "vm", "library", "kernel", "state", "group" };

struct json {
	const struct profile *profile;
	FILE *to;
	bool has_begun;
	uint64_t stacks;
};

static struct json_object *make_frame(const struct profile *profile, uint32_t frame)
{
	const struct function *function = profile_function(profile, frame);
	uint32_t line = profile->frames[frame].line;
	struct json_object *object = json_new();

	json_add_text(object, "kind", kinds[function->kind]);
	json_add_text(object, "name", function->name);
	json_add_text(object, "file", *function->file ? function->file : NULL);
	json_add(object, "line", line ? json_number(line) : NULL);
	return object;
}

static void put_stack(void *data, const struct stack *stack)
{
	struct json *json = data;
	struct json_object *line = json_line_new(&json->has_begun, "stack", TOOL), *frames = json_new_list();

	for (size_t i = 0; i < stack->count; i++)
		json_push(frames, make_frame(json->profile, stack->frames[i]));
	json_add(line, "frames", frames);
	json_add_number(line, "value", stack->value);
	if (json->profile->is_difference)
		json_add_number(line, "before", stack->before);
	json_line_put(json->to, line);
	json->stacks++;
}

static void put_summary(struct json *json)
{
	const struct profile *profile = json->profile;
	struct json_object *line = json_line_new(&json->has_begun, "summary", TOOL);

	json_add_text(line, "title", profile->title);
	json_add_text(line, "unit", profile->unit);
	json_add_number(line, "stacks", json->stacks);
	json_add_number(line, "total", profile->total);
	if (profile->is_difference)
		json_add_number(line, "before", profile->before);
	json_add_number(line, "lost", profile->lost);
	json_add_number(line, "lost_cases", profile->lost_cases);
	json_add_number(line, "start_ns", profile->start_unix_ns);
	json_add(line, "duration_s", json_real((double)profile->duration_ns / NS_PER_S));
	json_add_number(line, "period_ns", profile->period_ns);
	json_line_put(json->to, line);
}

int profile_write_json(const struct profile *profile, FILE *to)
{
	struct json json = { .profile = profile, .to = to };

	profile_each_stack(profile, put_stack, &json);
	put_summary(&json);
	return ferror(to) ? -EIO : 0;
}
