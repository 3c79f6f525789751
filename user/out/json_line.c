// SPDX-License-Identifier: BSD-2-Clause
#include "out/json_line.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"

#define SCHEMA 1 /* raise it when a key changes its meaning */

static bool is_short; /* of memory, since something was printed */

static struct json_object *made(struct json_object *value)
{
	is_short |= !value;
	return value;
}

struct json_object *json_new(void)
{
	return made(json_object_new_object());
}

struct json_object *json_new_list(void)
{
	return made(json_object_new_array());
}

struct json_object *json_text_part(const char *text, int size)
{
	return size ? made(json_object_new_string_len(text, size)) : NULL;
}

struct json_object *json_number(uint64_t number)
{
	return made(json_object_new_uint64(number));
}

struct json_object *json_signed(int64_t number)
{
	return made(json_object_new_int64(number));
}

struct json_object *json_truth(bool is_true)
{
	return made(json_object_new_boolean(is_true));
}

/* Of the 17 digits that a double may need, nobody wants those behind a billionth. */
struct json_object *json_real(double number)
{
	char text[512];
	size_t length = isfinite(number) ? (size_t)snprintf(text, sizeof(text), "%.9f", number) : 0;

	if (!length)
		return NULL;
	while (text[length - 1] == '0' && text[length - 2] != '.')
		text[--length] = '\0';
	return json_real_as(number, text);
}

struct json_object *json_real_as(double number, const char *text)
{
	return made(json_object_new_double_s(number, text));
}

struct json_object *json_text(const char *text)
{
	_cleanup_free_ char *valid = text ? text_for_json(text) : NULL;

	return text ? made(valid ? json_object_new_string(valid) : NULL) : NULL;
}

/* Nobody has the value who would free it. */
static void refuse(struct json_object *value)
{
	json_object_put(value);
	is_short = true;
}

void json_add(struct json_object *object, const char *key, struct json_object *value)
{
	if (!object || json_object_object_add(object, key, value))
		refuse(value);
}

void json_add_number(struct json_object *object, const char *key, uint64_t number)
{
	json_add(object, key, json_number(number));
}

void json_add_text(struct json_object *object, const char *key, const char *text)
{
	json_add(object, key, json_text(text));
}

void json_push(struct json_object *list, struct json_object *value)
{
	if (!list || json_object_array_add(list, value))
		refuse(value);
}

void json_add_bucket(struct json_object *buckets, struct json_object *lo, struct json_object *hi,
		     struct json_object *count)
{
	struct json_object *bucket = json_new();

	json_add(bucket, "lo", lo);
	json_add(bucket, "hi", hi);
	json_add(bucket, "count", count);
	json_push(buckets, bucket);
}

bool json_print(FILE *to, struct json_object *object)
{
	int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *text = is_short ? NULL : json_object_to_json_string_ext(object, flags);

	if (text) {
		text_print_json(to, text);
		fputc('\n', to);
	}
	json_object_put(object);
	is_short = false;
	return text;
}

char *json_body(struct json_object *object, size_t *size)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, size);
	bool is_whole = to && json_print(to, object);

	if (!to)
		json_object_put(object);
	else if (!fclose(to) && is_whole)
		return text;
	free(text);
	return NULL;
}

struct json_object *json_line_new(bool *has_begun, const char *type, const char *tool)
{
	struct json_object *line = json_new();

	if (!*has_begun)
		json_add_number(line, "schema", SCHEMA);
	*has_begun = true;
	json_add_text(line, "type", type);
	json_add_text(line, "tool", tool);
	return line;
}

void json_line_put(FILE *to, struct json_object *line)
{
	if (json_print(to, line))
		return;
	pr_err("memory is too short for the next line of JSON; nothing behind it is printed");
	exit(EXIT_FAILURE);
}
