/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON lines, of the tools and of D alike: one object a line, "schema" in the first. Text is hostile, and becomes valid
 * UTF-8 without what would control a terminal.
 */
#ifndef ERLBPF_OUT_JSON_LINE_H
#define ERLBPF_OUT_JSON_LINE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A new line; *has_begun: whether it is not the first, true from now on. */
struct json_object *json_line_new(bool *has_begun, const char *type, const char *tool);

/* Print it, and free it. */
void json_line_put(FILE *to, struct json_object *line);

/* All of these take what they are given into the object. */
void json_add(struct json_object *object, const char *key, struct json_object *value);
void json_add_number(struct json_object *object, const char *key, uint64_t number);
void json_add_text(struct json_object *object, const char *key, const char *text);

/* A text; null for NULL. */
struct json_object *json_text(const char *text);

/* One more bucket of a distribution: both limits belong to it, null is no limit. */
void json_add_bucket(struct json_object *buckets, struct json_object *lo, struct json_object *hi,
		     struct json_object *count);

#endif
