// SPDX-License-Identifier: BSD-2-Clause
/* A profile as one page: flame.html, with the profile as JSON: frames and nodes as in struct profile. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "flame/formats/json_string.h"
#include "flame/formats/template.h"
#include "flame/profile.h"
#include "flame/profile_parts.h"

static int put_text(FILE *to, const char *key, const char *text)
{
	fprintf(to, ",\"%s\":", key);
	return json_string_put(to, text);
}

static int put_head(const struct profile *profile, FILE *to)
{
	int err;

	fprintf(to, "{\"difference\":%s,\"lost\":%" PRIu64 ",\"start\":%" PRIu64 ",\"duration\":%" PRIu64,
		profile->is_difference ? "true" : "false", profile->lost, profile->start_unix_ns, profile->duration_ns);
	err = put_text(to, "title", profile->title);
	return err ? err : put_text(to, "unit", profile->unit);
}

static int put_frame(const struct profile *profile, FILE *to, uint32_t frame)
{
	const struct function *function = profile_function(profile, frame);
	int err;

	fprintf(to, "[%d,", (int)function->kind);
	err = json_string_put(to, function->name);
	fputc(',', to);
	if (!err)
		err = json_string_put(to, function->file);
	fprintf(to, ",%" PRIu32 "]", profile->frames[frame].line);
	return err;
}

static int put_frames(const struct profile *profile, FILE *to)
{
	int err = 0;

	fputs(",\"frames\":[", to);
	for (uint32_t i = 0; !err && i < profile->frame_count; i++) {
		fputs(i ? ",\n" : "\n", to);
		err = put_frame(profile, to, i);
	}
	fputc(']', to);
	return err;
}

static uint64_t parent_of(const struct node *node)
{
	return node->parent;
}

/* The root has no frame, and its value is not used. */
static uint64_t frame_of(const struct node *node)
{
	return node->frame == PROFILE_NO_FRAME ? 0 : node->frame;
}

static uint64_t value_of(const struct node *node)
{
	return node->value;
}

static uint64_t before_of(const struct node *node)
{
	return node->before;
}

static void put_numbers(const struct profile *profile, FILE *to, const char *key,
			uint64_t (*number)(const struct node *node))
{
	fprintf(to, "\"%s\":[", key);
	for (size_t i = 0; i < profile->node_count; i++)
		fprintf(to, i ? ",%" PRIu64 : "%" PRIu64, number(&profile->nodes[i]));
	fputc(']', to);
}

static void put_nodes(const struct profile *profile, FILE *to)
{
	fputs(",\n\"nodes\":{", to);
	put_numbers(profile, to, "parents", parent_of);
	fputs(",\n", to);
	put_numbers(profile, to, "frames", frame_of);
	fputs(",\n", to);
	put_numbers(profile, to, "values", value_of);
	if (profile->is_difference) {
		fputs(",\n", to);
		put_numbers(profile, to, "befores", before_of);
	}
	fputs("}}", to);
}

static int put_profile(const struct profile *profile, FILE *to)
{
	int err = put_head(profile, to);

	if (!err)
		err = put_frames(profile, to);
	if (!err)
		put_nodes(profile, to);
	return err;
}

int profile_write_html(const struct profile *profile, FILE *to)
{
	const char *place = memmem(flame_html, flame_html_size, HTML_PLACE, strlen(HTML_PLACE));
	const char *rest = place + strlen(HTML_PLACE);
	int err;

	fwrite(flame_html, 1, (size_t)(place - flame_html), to);
	err = put_profile(profile, to);
	fwrite(rest, 1, flame_html_size - (size_t)(rest - flame_html), to);
	return err ? err : ferror(to) ? -EIO : 0;
}
