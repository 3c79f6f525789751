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

/*
 * Objects and their parts. Where memory is short, a part is NULL, which all of these understand, and it is remembered:
 * what lacks a part must not be shown.
 */
struct json_object *json_new(void);
struct json_object *json_new_list(void);
struct json_object *json_number(uint64_t number);
struct json_object *json_signed(int64_t number);
struct json_object *json_truth(bool is_true);
struct json_object *json_real(double number);
struct json_object *json_real_as(double number, const char *text); /* shown as that */
struct json_object *json_text(const char *text);		   /* null for NULL */
struct json_object *json_text_part(const char *text, int size);	   /* null for size 0 */

/* All of these take what they are given into the object; a value NULL is null. */
void json_add(struct json_object *object, const char *key, struct json_object *value);
void json_add_number(struct json_object *object, const char *key, uint64_t number);
void json_add_text(struct json_object *object, const char *key, const char *text);
void json_push(struct json_object *list, struct json_object *value);

/* Print the object on a line of its own, and free it. False, and nothing is printed: since the last time, memory was
 * short. */
bool json_print(FILE *to, struct json_object *object);

/* The object as a text of *size bytes, a line, and free it. The caller's; NULL where memory is short. */
char *json_body(struct json_object *object, size_t *size);

/* A new line; *has_begun: whether it is not the first, true from now on. */
struct json_object *json_line_new(bool *has_begun, const char *type, const char *tool);

/* As json_print(); where memory is short it ends the program with a message, which no reader takes for a result. */
void json_line_put(FILE *to, struct json_object *line);

/* One more bucket of a distribution: both limits belong to it, null is no limit. */
void json_add_bucket(struct json_object *buckets, struct json_object *lo, struct json_object *hi,
		     struct json_object *count);

#endif
