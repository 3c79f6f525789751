// SPDX-License-Identifier: BSD-2-Clause
/* JSON lines as other programs see them: every line is read back by json-c's strict parser. */
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "out/json_line.h"
#include "sink_check.h"

#define MAX_LINES 64

struct lines {
	struct json_object *objects[MAX_LINES];
	size_t count;
};

static struct json_object *parse(const char *text, size_t length)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *object;

	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, text, (int)length);
	if (!object || json_tokener_get_parse_end(tokener) != length)
		cr_fail("%.*s: %s", (int)length, text, json_tokener_error_desc(json_tokener_get_error(tokener)));
	json_tokener_free(tokener);
	return object;
}

static void expect_no_control_byte(const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			cr_fail("control byte in %.*s", (int)length, line);
	}
}

static void read_lines(struct captured *c, struct lines *lines)
{
	const char *at = captured_text(c), *end;

	lines->count = 0;
	for (; *at; at = end + 1) {
		end = strchr(at, '\n');
		cr_assert(ne(ptr, check_pointer(end), NULL), "the last line has no end");
		cr_assert(lt(sz, lines->count, MAX_LINES));
		expect_no_control_byte(at, (size_t)(end - at));
		lines->objects[lines->count++] = parse(at, (size_t)(end - at));
	}
}

static void free_lines(struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		json_object_put(lines->objects[i]);
}

static struct json_object *get(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	cr_expect(json_object_object_get_ex(object, key, &value), "%s is missing in %s", key,
		  json_object_to_json_string(object));
	return value;
}

static void expect_string(struct json_object *object, const char *key, const char *expected)
{
	expect_text(json_object_get_string(get(object, key)), expected, "%s", key);
}

static void expect_number(struct json_object *object, const char *key, uint64_t expected)
{
	cr_expect(eq(u64, json_object_get_uint64(get(object, key)), expected), "%s", key);
}

static void send_hist(struct captured *c, const char *key)
{
	static const uint64_t samples[] = { 0, 1, 1, 5, 100, 100, 1000000 };
	uint64_t slots[HIST_SLOTS];
	struct sink_hist hist = hist_of(samples, COUNT(samples), slots);

	hist.key = key;
	hist.node = key ? "rabbit@host" : NULL;
	hist.os_id = key ? 4711 : 0;
	c->sink.ops->hist(&c->sink, &hist);
}

static void send_table(struct captured *c)
{
	struct value cells[2 * COLUMNS];
	struct sink_table table = { .cells = cells, .rows = 2 };

	make_values(cells, "first");
	make_values(cells + COLUMNS, "second");
	c->sink.ops->table(&c->sink, &table);
}

static void send_everything(struct captured *c)
{
	struct value values[COLUMNS];

	make_values(values, "text");
	send_event(c, values, "rabbit@host");
	c->sink.ops->interval(&c->sink, CHECK_TIME);
	send_hist(c, NULL);
	send_hist(c, "<0.91.0>");
	send_table(c);
	c->sink.ops->summary(&c->sink, &check_summary);
}

Test(sink_json, everything_is_one_object_a_line_with_its_type_and_tool)
{
	static const char *const types[] = { "event", "interval", "hist", "hist", "table", "summary" };
	struct captured c;
	struct lines lines;

	captured_begin(&c, SINK_JSON);
	send_everything(&c);
	read_lines(&c, &lines);
	cr_assert(eq(sz, lines.count, COUNT(types)));
	for (size_t i = 0; i < lines.count; i++) {
		expect_string(lines.objects[i], "type", types[i]);
		expect_string(lines.objects[i], "tool", "check");
	}
	free_lines(&lines);
	captured_free(&c);
}

Test(sink_json, the_schema_is_in_the_first_line_only)
{
	struct captured c;
	struct lines lines;

	captured_begin(&c, SINK_JSON);
	send_everything(&c);
	read_lines(&c, &lines);
	expect_number(lines.objects[0], "schema", 1);
	for (size_t i = 1; i < lines.count; i++)
		cr_expect(not(json_object_object_get_ex(lines.objects[i], "schema", NULL)), "line %zu", i);
	free_lines(&lines);
	captured_free(&c);
}

Test(sink_json, an_event_has_its_columns_as_keys_and_exact_integers)
{
	struct value values[COLUMNS];
	struct captured c;
	struct lines lines;

	captured_begin(&c, SINK_JSON);
	make_values(values, "some text");
	send_event(&c, values, "rabbit@host");
	read_lines(&c, &lines);
	expect_string(lines.objects[0], "probe", "message-send");
	expect_string(lines.objects[0], "node", "rabbit@host");
	expect_number(lines.objects[0], "time", CHECK_TIME);
	expect_number(lines.objects[0], "os_pid", 4711);
	expect_string(lines.objects[0], "text", "some text");
	expect_number(lines.objects[0], "number", UINT64_MAX);
	cr_expect(eq(i64, json_object_get_int64(get(lines.objects[0], "signed")), INT64_MIN));
	expect_number(lines.objects[0], "when", CHECK_TIME);
	expect_number(lines.objects[0], "wait", 1250000);
	expect_string(lines.objects[0], "pid", "<0.91.0>");
	free_lines(&lines);
	captured_free(&c);
}

Test(sink_json, columns_for_people_only_are_left_out)
{
	struct value values[COLUMNS];
	struct captured c;
	struct lines lines;

	captured_begin(&c, SINK_JSON);
	c.columns[NUMBER].only_text = true;
	make_values(values, "some text");
	send_event(&c, values, "");
	read_lines(&c, &lines);
	expect_string(lines.objects[0], "text", "some text");
	cr_expect(not(json_object_object_get_ex(lines.objects[0], "number", NULL)));
	free_lines(&lines);
	captured_free(&c);
}

Test(sink_json, absent_values_are_null)
{
	struct value values[COLUMNS] = {};
	struct captured c;
	struct lines lines;

	captured_begin(&c, SINK_JSON);
	for (size_t i = 0; i < COLUMNS; i++)
		values[i].is_null = true;
	send_event(&c, values, "");
	read_lines(&c, &lines);
	for (size_t i = 0; i < COLUMNS; i++)
		cr_expect(json_object_is_type(get(lines.objects[0], c.sink.setup.columns[i].name), json_type_null),
			  "%s", c.sink.setup.columns[i].name);
	free_lines(&lines);
	captured_free(&c);
}

Test(sink_json, hostile_texts_stay_one_line_and_come_back_if_they_are_utf8)
{
	struct captured c;
	struct lines lines;

	captured_begin(&c, SINK_JSON);
	for (size_t i = 0; i < hostile_count; i++) {
		struct value values[COLUMNS];

		make_values(values, hostile_texts[i]);
		send_event(&c, values, hostile_texts[i]);
	}
	read_lines(&c, &lines);
	cr_assert(eq(sz, lines.count, hostile_count));
	cr_expect(eq(ptr, strstr(c.text, "\xc2\x9b"), NULL), "C1");
	cr_expect(eq(ptr, strstr(c.text, "\xe2\x80\xae"), NULL), "a change of direction");
	for (size_t i = 0; i < hostile_count; i++) {
		const char *back = json_object_get_string(get(lines.objects[i], "text"));

		if (!strstr(back, "\xef\xbf\xbd"))
			expect_text(back, hostile_texts[i]);
		expect_string(lines.objects[i], "node", back);
	}
	free_lines(&lines);
	captured_free(&c);
}

Test(sink_json, a_histogram_has_its_sums_percentiles_and_buckets)
{
	static const struct {
		uint64_t lo, hi, count;
	} expected[] = {
		{ 0, 0, 1 }, { 1, 1, 2 }, { 4, 7, 1 }, { 64, 127, 2 }, { 524288, 1048575, 1 },
	};
	struct json_object *buckets;
	struct captured c;
	struct lines lines;

	captured_begin(&c, SINK_JSON);
	send_hist(&c, NULL);
	read_lines(&c, &lines);
	expect_string(lines.objects[0], "title", "waits");
	expect_string(lines.objects[0], "unit", "ns");
	expect_number(lines.objects[0], "count", 7);
	expect_number(lines.objects[0], "sum", 1000207);
	expect_number(lines.objects[0], "min", 0);
	expect_number(lines.objects[0], "max", 1000000);
	expect_number(lines.objects[0], "p50", 5);
	get(lines.objects[0], "p90");
	get(lines.objects[0], "p99");
	get(lines.objects[0], "p999");
	buckets = get(lines.objects[0], "buckets");
	cr_assert(eq(sz, json_object_array_length(buckets), COUNT(expected)));
	for (size_t i = 0; i < COUNT(expected); i++) {
		expect_number(json_object_array_get_idx(buckets, i), "lo", expected[i].lo);
		expect_number(json_object_array_get_idx(buckets, i), "hi", expected[i].hi);
		expect_number(json_object_array_get_idx(buckets, i), "count", expected[i].count);
	}
	free_lines(&lines);
	captured_free(&c);
}

Test(sink_json, what_is_below_the_resolution_is_counted_apart_and_null)
{
	static const uint64_t samples[] = { 0, 3, 900, 3000 };
	uint64_t slots[HIST_SLOTS];
	struct sink_hist hist = hist_of(samples, COUNT(samples), slots);
	struct json_object *below, *buckets;
	struct captured c;
	struct lines lines;

	hist.resolution_ns = 1088;
	captured_begin(&c, SINK_JSON);
	c.sink.ops->hist(&c.sink, &hist);
	read_lines(&c, &lines);
	below = get(lines.objects[0], "below");
	expect_number(below, "ns", 1088);
	expect_number(below, "count", 3);
	cr_expect(eq(ptr, get(lines.objects[0], "min"), NULL));
	cr_expect(eq(ptr, get(lines.objects[0], "p50"), NULL));
	expect_number(lines.objects[0], "max", 3000);
	buckets = get(lines.objects[0], "buckets");
	cr_expect(eq(sz, json_object_array_length(buckets), 1));
	free_lines(&lines);
	captured_free(&c);
}

Test(sink_json, a_histogram_of_all_has_no_key_one_of_a_process_has)
{
	static const char *const keys[] = { "key", "node", "os_pid" };
	struct captured c;
	struct lines lines;

	captured_begin(&c, SINK_JSON);
	send_hist(&c, NULL);
	send_hist(&c, "<0.91.0>");
	read_lines(&c, &lines);
	for (size_t i = 0; i < COUNT(keys); i++)
		cr_expect(json_object_is_type(get(lines.objects[0], keys[i]), json_type_null), "%s", keys[i]);
	expect_string(lines.objects[1], "key", "<0.91.0>");
	expect_string(lines.objects[1], "node", "rabbit@host");
	expect_number(lines.objects[1], "os_pid", 4711);
	free_lines(&lines);
	captured_free(&c);
}

Test(sink_json, a_table_is_a_list_of_rows)
{
	struct json_object *rows;
	struct captured c;
	struct lines lines;

	captured_begin(&c, SINK_JSON);
	send_table(&c);
	read_lines(&c, &lines);
	rows = get(lines.objects[0], "rows");
	cr_assert(eq(sz, json_object_array_length(rows), 2));
	expect_string(json_object_array_get_idx(rows, 0), "text", "first");
	expect_string(json_object_array_get_idx(rows, 1), "text", "second");
	expect_number(json_object_array_get_idx(rows, 1), "number", UINT64_MAX);
	free_lines(&lines);
	captured_free(&c);
}

Test(sink_json, a_table_may_have_a_node_and_parts)
{
	static const struct column one[] = { { "share", COLUMN_DECIMAL, 0, false } };
	struct value cells[] = { { .number = 250 }, { .number = 1000 } };
	struct sink_part parts[] = { { "whole", one, 1, cells, 1, false }, { "each", one, 1, cells, 2, true } };
	struct sink_table table = { .node = "rabbit@host", .parts = parts, .part_count = 2 };
	struct json_object *each;
	struct captured c;
	struct lines lines;

	captured_begin(&c, SINK_JSON);
	c.sink.ops->table(&c.sink, &table);
	read_lines(&c, &lines);
	expect_string(lines.objects[0], "node", "rabbit@host");
	expect_string(get(lines.objects[0], "whole"), "share", "0.250");
	each = get(lines.objects[0], "each");
	cr_assert(eq(sz, json_object_array_length(each), 2));
	expect_string(json_object_array_get_idx(each, 1), "share", "1.000");
	free_lines(&lines);
	captured_free(&c);
}

Test(sink_json, the_summary_accounts_for_probes_and_targets)
{
	struct json_object *summary, *probe, *target, *missing;
	struct captured c;
	struct lines lines;

	captured_begin(&c, SINK_JSON);
	c.sink.ops->summary(&c.sink, &check_summary);
	read_lines(&c, &lines);
	summary = lines.objects[0];
	expect_number(summary, "events", 103);
	expect_number(summary, "lost", 7);
	expect_number(summary, "remote", 5);
	cr_expect(ieee_ulp_eq(dbl, json_object_get_double(get(summary, "duration_s")), 1.5, 4));
	cr_expect(ieee_ulp_eq(dbl, json_object_get_double(get(summary, "watched_s")), 1.25, 4));
	cr_expect(eq(i64, json_object_get_int64(get(summary, "cost_ns")), 77));
	probe = get(get(summary, "probes"), "message-send");
	expect_number(probe, "events", 100);
	expect_number(probe, "lost", 7);
	cr_assert(eq(sz, json_object_array_length(get(summary, "targets")), 2));
	target = json_object_array_get_idx(get(summary, "targets"), 0);
	expect_number(target, "os_pid", 4711);
	expect_string(target, "node", "rabbit@host");
	expect_string(target, "otp", "25");
	expect_string(target, "source", "usdt");
	missing = json_object_array_get_idx(get(target, "missing"), 1);
	expect_string(missing, "probe", "gc_major-start");
	expect_string(missing, "why", "no \"translator\"");
	cr_expect(json_object_get_boolean(get(missing, "whole")));
	target = json_object_array_get_idx(get(summary, "targets"), 1);
	cr_expect(json_object_is_type(get(target, "otp"), json_type_null));
	expect_string(target, "node", "\xef\xbf\xbd\n@host");
	free_lines(&lines);
	captured_free(&c);
}

Test(sink_json, a_real_number_has_no_more_digits_than_anybody_wants)
{
	static const struct {
		double number;
		const char *text;
	} rows[] = {
		{ 0, "0.0" },	  { 1.5, "1.5" },     { 0.56868686899999998, "0.568686869" }, { 10, "10.0" },
		{ 1e-12, "0.0" }, { -0.25, "-0.25" }, { 123456789.125, "123456789.125" },     { INFINITY, "null" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct json_object *real = json_real(rows[i].number);

		expect_text(json_object_to_json_string(real), rows[i].text, "%f", rows[i].number);
		json_object_put(real);
	}
}
