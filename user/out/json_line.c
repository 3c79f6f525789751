// SPDX-License-Identifier: BSD-2-Clause
#include "out/json_line.h"

#include "base/cleanup.h"
#include "base/text.h"

#define SCHEMA 1 /* raise it when a key changes its meaning */

struct json_object *json_line_new(bool *has_begun, const char *type, const char *tool)
{
	struct json_object *line = json_object_new_object();

	if (!*has_begun)
		json_add_number(line, "schema", SCHEMA);
	*has_begun = true;
	json_add_text(line, "type", type);
	json_add_text(line, "tool", tool);
	return line;
}

void json_line_put(FILE *to, struct json_object *line)
{
	int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;

	text_print_json(to, json_object_to_json_string_ext(line, flags));
	fputc('\n', to);
	json_object_put(line);
}

void json_add(struct json_object *object, const char *key, struct json_object *value)
{
	json_object_object_add(object, key, value);
}

void json_add_number(struct json_object *object, const char *key, uint64_t number)
{
	json_add(object, key, json_object_new_uint64(number));
}

void json_add_text(struct json_object *object, const char *key, const char *text)
{
	json_add(object, key, json_text(text));
}

struct json_object *json_text(const char *text)
{
	_cleanup_free_ char *valid = text ? text_for_json(text) : NULL;

	return valid ? json_object_new_string(valid) : NULL;
}

void json_add_bucket(struct json_object *buckets, struct json_object *lo, struct json_object *hi,
		     struct json_object *count)
{
	struct json_object *bucket = json_object_new_object();

	json_add(bucket, "lo", lo);
	json_add(bucket, "hi", hi);
	json_add(bucket, "count", count);
	json_object_array_add(buckets, bucket);
}
