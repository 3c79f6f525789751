// SPDX-License-Identifier: BSD-2-Clause
/*
 * A profile for speedscope.app: its JSON, type "sampled". For a difference, the file has two profiles, before and
 * after.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "flame/formats/json_string.h"
#include "flame/profile.h"
#include "flame/profile_parts.h"

struct speedscope {
	const struct profile *profile;
	FILE *to;
	bool is_before; /* writing the weights of the base */
	const char *between;
};

static int put_frame(const struct speedscope *scope, uint32_t frame)
{
	const struct function *function = profile_function(scope->profile, frame);
	uint32_t line = scope->profile->frames[frame].line;
	int err;

	fputs("{\"name\":", scope->to);
	err = json_string_put(scope->to, function->name);
	if (!err && *function->file) {
		fputs(",\"file\":", scope->to);
		err = json_string_put(scope->to, function->file);
	}
	if (line)
		fprintf(scope->to, ",\"line\":%" PRIu32, line);
	fputc('}', scope->to);
	return err;
}

static int put_frames(const struct speedscope *scope)
{
	int err = 0;

	fputs("\"shared\":{\"frames\":[", scope->to);
	for (uint32_t i = 0; !err && i < scope->profile->frame_count; i++) {
		fputs(i ? ",\n" : "\n", scope->to);
		err = put_frame(scope, i);
	}
	fputs("]},\n", scope->to);
	return err;
}

static uint64_t weight_of(const struct speedscope *scope, const struct stack *stack)
{
	return scope->is_before ? stack->before : stack->value;
}

static void put_sample(void *data, const struct stack *stack)
{
	struct speedscope *scope = data;

	if (!weight_of(scope, stack))
		return;
	fprintf(scope->to, "%s\n[", scope->between);
	for (size_t i = 0; i < stack->count; i++)
		fprintf(scope->to, "%s%" PRIu32, i ? "," : "", stack->frames[i]);
	fputc(']', scope->to);
	scope->between = ",";
}

static void put_weight(void *data, const struct stack *stack)
{
	struct speedscope *scope = data;

	if (!weight_of(scope, stack))
		return;
	fprintf(scope->to, "%s%" PRIu64, scope->between, weight_of(scope, stack));
	scope->between = ",";
}

static void put_list(struct speedscope *scope, const char *key, void (*each)(void *data, const struct stack *stack))
{
	fprintf(scope->to, ",\n\"%s\":[", key);
	scope->between = "";
	profile_each_stack(scope->profile, each, scope);
	fputc(']', scope->to);
}

static const char *unit_of(const struct profile *profile)
{
	if (!strcmp(profile->unit, "ns"))
		return "nanoseconds";
	return strcmp(profile->unit, "bytes") ? "none" : "bytes";
}

static void put_profile(struct speedscope *scope, const char *name, bool is_before)
{
	uint64_t total = is_before ? scope->profile->before : scope->profile->total;

	scope->is_before = is_before;
	fprintf(scope->to,
		"{\"type\":\"sampled\",\"name\":\"%s\",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64, name,
		unit_of(scope->profile), total);
	put_list(scope, "samples", put_sample);
	put_list(scope, "weights", put_weight);
	fputc('}', scope->to);
}

static int put_head(const struct speedscope *scope)
{
	int err;

	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"erlbpf\","
	      "\"activeProfileIndex\":0,\"name\":",
	      scope->to);
	err = json_string_put(scope->to, scope->profile->title);
	fputs(",\n", scope->to);
	return err;
}

int profile_write_speedscope(const struct profile *profile, FILE *to)
{
	struct speedscope scope = { .profile = profile, .to = to };
	int err = put_head(&scope);

	if (!err)
		err = put_frames(&scope);
	if (err)
		return err;
	fputs("\"profiles\":[", to);
	put_profile(&scope, profile->is_difference ? "after" : "profile", false);
	if (profile->is_difference) {
		fputs(",\n", to);
		put_profile(&scope, "before", true);
	}
	fputs("]}\n", to);
	return ferror(to) ? -EIO : 0;
}
