// SPDX-License-Identifier: BSD-2-Clause
/* The hour that the page shows: intervals of what only grows, and how much of it is kept. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <json-c/json.h>
#include <stdio.h>

#include "base/duration.h"
#include "serve/node_view/history.h"

struct hour {
	struct metrics *metrics;
	struct metric_family *family;
	struct history *history;
	uint64_t now_ns;
};

static struct hour hour_new(void)
{
	struct hour hour = { .metrics = metrics_new(20), .history = history_new(), .now_ns = 1000 * NS_PER_S };

	hour.family = metrics_family(hour.metrics, "wait_seconds", "a test", METRIC_HISTOGRAM, UNIT_SECONDS, 1e-9);
	cr_assert(hour.family && hour.history);
	return hour;
}

static void hour_free(struct hour *hour)
{
	history_free(hour->history);
	metrics_free(hour->metrics);
}

static void count(struct hour *hour, const char *node, const char *name, uint64_t value_ns, uint64_t times)
{
	struct metric_label labels[] = { { "node", node }, { "name", name } };
	uint64_t slots[HIST_SLOTS] = {};

	slots[hist_slot(value_ns)] = times;
	cr_assert(eq(int,
		     metrics_add_hist(hour->metrics, hour->family, labels, 2,
				      &(struct metric_hist){ times, times * value_ns, slots }),
		     0));
}

static void pass(struct hour *hour, uint64_t seconds)
{
	hour->now_ns += seconds * NS_PER_S;
	history_add(hour->history, hour->metrics, hour->now_ns);
}

static struct json_object *member(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	cr_assert(json_object_object_get_ex(object, key, &value), "%s", key);
	return value;
}

/* All values of a series of the only metric, as text. */
static void expect(struct hour *hour, size_t series, const char *key, const char *wanted)
{
	struct json_object *all = history_json(hour->history);
	struct json_object *line = json_object_array_get_idx(member(all, "series"), series);

	cr_expect(eq(str, (char *)json_object_to_json_string_ext(member(line, key), JSON_C_TO_STRING_PLAIN),
		     (char *)wanted));
	json_object_put(all);
}

static size_t length_of(struct hour *hour, const char *key)
{
	struct json_object *all = history_json(hour->history);
	size_t length = json_object_array_length(member(all, key));

	json_object_put(all);
	return length;
}

Test(history, has_what_each_interval_has_counted_of_a_node_under_all_names)
{
	struct hour hour = hour_new();

	count(&hour, "a", "x", 1000, 5);
	count(&hour, "b", "x", 1000, 7);
	count(&hour, "a", "y", 1000, 4);
	pass(&hour, 10);
	count(&hour, "a", "y", 2000, 1);
	pass(&hour, 10);
	pass(&hour, 10);
	expect(&hour, 0, "node", "\"a\"");
	expect(&hour, 0, "count", "[9,1,0]");
	expect(&hour, 1, "count", "[7,0,0]");
	hour_free(&hour);
}

Test(history, has_the_percentiles_of_the_interval_and_null_where_nothing_was_counted)
{
	struct hour hour = hour_new();
	struct json_object *all, *p50, *p99;

	count(&hour, "a", "x", 1000, 98);
	count(&hour, "a", "x", 1000000, 2);
	pass(&hour, 10);
	pass(&hour, 10);
	all = history_json(hour.history);
	p50 = member(json_object_array_get_idx(member(all, "series"), 0), "p50");
	p99 = member(json_object_array_get_idx(member(all, "series"), 0), "p99");
	cr_expect_float_eq(json_object_get_double(json_object_array_get_idx(p50, 0)), 1e-6, 0.05e-6);
	cr_expect_float_eq(json_object_get_double(json_object_array_get_idx(p99, 0)), 1e-3, 0.05e-3);
	cr_expect_null(json_object_array_get_idx(p50, 1));
	json_object_put(all);
	hour_free(&hour);
}

Test(history, has_a_point_every_ten_seconds_and_an_hour_of_them)
{
	struct hour hour = hour_new();

	for (int i = 0; i < 5; i++)
		pass(&hour, 2);
	cr_expect(eq(sz, length_of(&hour, "times"), 1));
	pass(&hour, 2);
	cr_expect(eq(sz, length_of(&hour, "times"), 2));
	count(&hour, "a", "x", 1000, 1);
	for (int i = 0; i < 2 * HISTORY_POINTS; i++)
		pass(&hour, 10);
	cr_expect(eq(sz, length_of(&hour, "times"), HISTORY_POINTS));
	hour_free(&hour);
}

Test(history, keeps_as_many_series_as_it_says_and_gives_the_place_of_a_silent_one_away)
{
	struct hour hour = hour_new();
	char node[32];

	for (int i = 0; i < HISTORY_MOST + 10; i++) {
		snprintf(node, sizeof(node), "n%d", i);
		count(&hour, node, "x", 1000, 1);
	}
	pass(&hour, 10);
	cr_expect(eq(sz, length_of(&hour, "series"), HISTORY_MOST));
	expect(&hour, 0, "node", "\"n0\"");
	metrics_expire(hour.metrics, UINT64_MAX);
	for (int i = 0; i <= HISTORY_POINTS; i++)
		pass(&hour, 10);
	count(&hour, "new", "x", 1000, 3);
	pass(&hour, 10);
	cr_expect(eq(sz, length_of(&hour, "series"), HISTORY_MOST));
	expect(&hour, 0, "node", "\"new\"");
	hour_free(&hour);
}

Test(history, does_not_fall_below_nothing_when_a_name_has_made_room)
{
	struct hour hour = hour_new();

	metrics_begin(hour.metrics, duration_now());
	count(&hour, "a", "x", 1000, 5);
	pass(&hour, 10);
	metrics_expire(hour.metrics, UINT64_MAX);
	count(&hour, "a", "y", 1000, 2);
	pass(&hour, 10);
	expect(&hour, 0, "count", "[5,0]");
	hour_free(&hour);
}

/* The order is that of `numbers` in history.c. */
enum { BUSY, RUN_QUEUE, REDUCTIONS, PROCESSES, RESIDENT, WAITING, NUMBERS };

static void set(struct hour *hour, const char *metric, enum metric_kind kind, const char *node, const char *pod,
		double value)
{
	struct metric_family *family = metrics_family(hour->metrics, metric, "a test", kind, UNIT_NONE, 1);
	struct metric_label labels[] = { { "otp", "27" }, { "node", node }, { "pod", pod } };

	cr_assert(eq(int, metrics_set(hour->metrics, family, labels, 3, value), 0));
}

static void expect_number(struct hour *hour, size_t i, const char *key, const char *wanted)
{
	struct json_object *all = history_json(hour->history);
	struct json_object *line = json_object_array_get_idx(member(all, "numbers"), i);

	cr_expect(eq(str, (char *)json_object_to_json_string_ext(member(line, key), JSON_C_TO_STRING_PLAIN),
		     (char *)wanted));
	json_object_put(all);
}

Test(history, has_numbers_of_nodes_as_the_metrics_say_and_null_where_they_say_nothing)
{
	struct hour hour = hour_new();

	pass(&hour, 10);
	set(&hour, "erlbpf_node_processes", METRIC_GAUGE, "a", "", 40);
	set(&hour, "erlbpf_node_processes", METRIC_GAUGE, "b", "", 7);
	pass(&hour, 10);
	metrics_clear_gauges(hour.metrics);
	pass(&hour, 10);
	set(&hour, "erlbpf_node_processes", METRIC_GAUGE, "a", "", 41);
	set(&hour, "erlbpf_node_something", METRIC_GAUGE, "a", "", 1);
	pass(&hour, 10);
	expect_number(&hour, PROCESSES, "metric", "\"erlbpf_node_processes\"");
	expect_number(&hour, PROCESSES, "node", "\"a\"");
	expect_number(&hour, PROCESSES, "values", "[null,40.0,null,41.0]");
	expect_number(&hour, NUMBERS + PROCESSES, "node", "\"b\"");
	expect_number(&hour, NUMBERS + PROCESSES, "values", "[null,7.0,null,null]");
	expect_number(&hour, RUN_QUEUE, "values", "[null,null,null,null]");
	cr_expect(eq(sz, length_of(&hour, "numbers"), 2 * NUMBERS));
	hour_free(&hour);
}

Test(history, adds_up_nodes_of_one_name_but_for_what_is_the_largest)
{
	struct hour hour = hour_new();

	set(&hour, "erlbpf_node_processes", METRIC_GAUGE, "a", "one", 40);
	set(&hour, "erlbpf_node_processes", METRIC_GAUGE, "a", "two", 2);
	set(&hour, "erlbpf_node_schedulers_busy_ratio", METRIC_GAUGE, "a", "one", 0.25);
	set(&hour, "erlbpf_node_schedulers_busy_ratio", METRIC_GAUGE, "a", "two", 0.5);
	set(&hour, "erlbpf_mailbox_most_waiting_messages", METRIC_GAUGE, "a", "two", 9);
	set(&hour, "erlbpf_mailbox_most_waiting_messages", METRIC_GAUGE, "a", "one", 8);
	pass(&hour, 10);
	expect_number(&hour, PROCESSES, "values", "[42.0]");
	expect_number(&hour, BUSY, "values", "[0.5]");
	expect_number(&hour, WAITING, "values", "[9.0]");
	hour_free(&hour);
}

Test(history, has_by_how_much_a_counter_grew_in_a_second)
{
	struct hour hour = hour_new();

	/* More than the digits of a float. */
	set(&hour, "erlbpf_node_reductions", METRIC_COUNTER, "a", "", 1e15);
	pass(&hour, 10);
	set(&hour, "erlbpf_node_reductions", METRIC_COUNTER, "a", "", 1e15 + 50);
	pass(&hour, 10);
	set(&hour, "erlbpf_node_reductions", METRIC_COUNTER, "a", "", 1e15 + 250);
	pass(&hour, 20);
	/* Another node of that name. */
	set(&hour, "erlbpf_node_reductions", METRIC_COUNTER, "a", "", 3);
	pass(&hour, 10);
	expect_number(&hour, REDUCTIONS, "values", "[null,5.0,10.0,null]");
	hour_free(&hour);
}

Test(history, keeps_as_many_nodes_as_it_says_and_gives_the_place_of_a_silent_one_away)
{
	struct hour hour = hour_new();
	char node[32];

	for (int i = 0; i < HISTORY_NODES + 10; i++) {
		snprintf(node, sizeof(node), "n%d", i);
		set(&hour, "erlbpf_node_processes", METRIC_GAUGE, node, "", i);
	}
	pass(&hour, 10);
	cr_expect(eq(sz, length_of(&hour, "numbers"), HISTORY_NODES * NUMBERS));
	metrics_clear_gauges(hour.metrics);
	for (int i = 0; i <= HISTORY_POINTS; i++)
		pass(&hour, 10);
	set(&hour, "erlbpf_node_run_queue_length", METRIC_GAUGE, "new", "", 5);
	pass(&hour, 10);
	cr_expect(eq(sz, length_of(&hour, "numbers"), HISTORY_NODES * NUMBERS));
	expect_number(&hour, 0, "node", "\"new\"");
	hour_free(&hour);
}
