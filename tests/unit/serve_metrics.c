// SPDX-License-Identifier: BSD-2-Clause
/* Series that compete, and what thousands of them cost. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "serve/metrics/metrics.h"
#include "serve/metrics/otlp.h"
#include "serve/metrics/prometheus.h"

#define NODES 200
#define NAMES 1000
#define FAMILIES 5

static struct metric_family *family_new(struct metrics *metrics, int i)
{
	char name[METRICS_NAME];

	snprintf(name, sizeof(name), "test_%d_seconds", i);
	return metrics_family(metrics, name, "a test", METRIC_HISTOGRAM, UNIT_SECONDS, 1e-9);
}

static void add(struct metrics *metrics, struct metric_family *family, const char *node, const char *name, uint64_t n)
{
	struct metric_label labels[] = { { "node", node }, { "name", name } };
	uint64_t slots[HIST_SLOTS] = {};

	slots[hist_slot(1000000)] = n;
	cr_assert(eq(int, metrics_add_hist(metrics, family, labels, 2, &(struct metric_hist){ n, n * 1000000, slots }),
		     0));
}

static const struct metric_series *find(const struct metric_family *family, const char *node, const char *name)
{
	for (size_t i = 0; i < family->series_count; i++) {
		if (!strcmp(family->series[i]->labels[0].value, node) &&
		    !strcmp(family->series[i]->labels[1].value, name))
			return family->series[i];
	}
	return NULL;
}

Test(serve_metrics, the_heaviest_names_have_series_and_others_are_counted_together)
{
	struct metrics *metrics = metrics_new(2);
	struct metric_family *family = family_new(metrics, 0);

	metrics_begin(metrics, 1);
	add(metrics, family, "n", "a", 10);
	add(metrics, family, "n", "b", 20);
	add(metrics, family, "n", "c", 15);
	cr_expect(eq(ptr, (void *)find(family, "n", "c"), NULL));
	cr_expect(eq(u64, find(family, "n", "other")->count, 15));
	cr_expect(eq(u64, family->dropped, 1));
	/* More than twice the lightest: what that had counted is gone, and not the others'. */
	add(metrics, family, "n", "d", 21);
	cr_expect(eq(ptr, (void *)find(family, "n", "a"), NULL));
	cr_expect(eq(u64, find(family, "n", "d")->count, 21));
	cr_expect(eq(u64, find(family, "n", "other")->count, 15));
	/* Another node has its own. */
	add(metrics, family, "m", "a", 1);
	cr_expect(ne(ptr, (void *)find(family, "m", "a"), NULL));
	metrics_free(metrics);
}

Test(serve_metrics, a_name_that_is_not_heard_of_makes_room_and_is_forgotten)
{
	struct metrics *metrics = metrics_new(1);
	struct metric_family *family = family_new(metrics, 0);

	metrics_begin(metrics, NS_PER_S);
	add(metrics, family, "n", "a", 1000);
	metrics_begin(metrics, 3000 * NS_PER_S);
	add(metrics, family, "n", "b", 10);
	cr_expect(ne(ptr, (void *)find(family, "n", "b"), NULL));
	metrics_begin(metrics, 4000 * NS_PER_S);
	metrics_expire(metrics, 3001 * NS_PER_S);
	cr_expect(eq(sz, family->series_count, 0));
	metrics_free(metrics);
}

Test(serve_metrics, labels_hold_neither_broken_utf8_nor_what_controls_a_terminal)
{
	static const struct {
		const char *value, *kept;
	} rows[] = {
		{ "a\033[31mb", "a?[31mb" },
		{ "a\nb\tc\177", "a?b?c?" },
		{ "\xff\xc2", "??" },
		{ "\xc2\x9b", "??" },
		{ "\xe2\x80\xae"
		  "x",
		  "???x" },
		{ "\xc3\xa4 \xe2\x82\xac", "\xc3\xa4 \xe2\x82\xac" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct metrics *metrics = metrics_new(2);
		struct metric_family *family = family_new(metrics, 0);

		add(metrics, family, rows[i].value, "n", 1);
		cr_expect(eq(str, (char *)family->series[0]->labels[0].value, (char *)rows[i].kept));
		metrics_free(metrics);
	}
}

Test(serve_metrics, slots_are_kept_from_the_first_to_the_last_that_is_used)
{
	struct metrics *metrics = metrics_new(1);
	struct metric_family *family = family_new(metrics, 0);
	struct metric_label label = { "node", "n" };
	uint64_t slots[HIST_SLOTS] = {}, counts[PROMETHEUS_BUCKETS];
	double bounds[PROMETHEUS_BUCKETS];
	const struct metric_series *series;
	size_t n;

	for (int i = 0; i < 64; i += 9) {
		memset(slots, 0, sizeof(slots));
		slots[hist_slot(1ULL << (63 - i))] = 1;
		metrics_add_hist(metrics, family, &label, 1, &(struct metric_hist){ 1, 0, slots });
	}
	series = family->series[0];
	cr_expect(eq(u64, series->count, 8));
	n = prometheus_buckets(family, series, bounds, counts);
	/* 2^63, 54, 45, 36, 27, 18, 9, 0; a bound of 2^n does not hold 2^n itself. */
	cr_expect(eq(u64, counts[0], 2));
	cr_expect(eq(u64, counts[n - 1], 4));
	metrics_free(metrics);
}

/* The same as a message, rendered in the same loop. */
static void check_push(const struct metrics *metrics)
{
	const struct pairs resource = {};
	const struct otlp_head head = { .resource = &resource, .time_ns = 1 };
	uint64_t begin = duration_now(), took_ns;
	size_t size;
	uint8_t *message = otlp_render(metrics, &head, &size);

	took_ns = duration_now() - begin;
	cr_assert(ne(ptr, message, NULL));
	cr_log_info("%zu kB to be pushed rendered in %.1f ms", size >> 10, (double)took_ns / 1e6);
	cr_expect(lt(sz, size, 8 << 20));
#ifndef __SANITIZE_ADDRESS__
	cr_expect(lt(u64, took_ns, 250 * NS_PER_MS), "%.1f ms", (double)took_ns / 1e6);
#endif
	free(message);
}

Test(serve_metrics, two_hundred_nodes_of_a_thousand_names_are_capped_and_rendered_in_time)
{
	struct metrics *metrics = metrics_new(20);
	uint64_t begin, added_ns, rendered_ns, slots[HIST_SLOTS] = {};
	size_t size, most = NODES + METRICS_MOST_NAMED;
	char *text;

	for (uint32_t i = 200; i < 500; i++)
		slots[i] = i;
	metrics_begin(metrics, 1);
	begin = duration_now();
	for (int f = 0; f < FAMILIES; f++) {
		struct metric_family *family = family_new(metrics, f);

		for (int i = 0; i < NODES * NAMES / 10; i++) {
			char node[32], name[32];
			struct metric_label labels[] = { { "node", node }, { "name", name } };

			snprintf(node, sizeof(node), "node%d@host", i % NODES);
			snprintf(name, sizeof(name), "name_%d", i * 7919 % NAMES);
			metrics_add_hist(metrics, family, labels, 2,
					 &(struct metric_hist){ 1, (uint64_t)(i * 7919 % 1000), slots });
		}
		cr_expect(le(sz, family->series_count, most));
	}
	added_ns = duration_now() - begin;
	begin = duration_now();
	text = prometheus_render(metrics, true, &size);
	rendered_ns = duration_now() - begin;
	cr_assert(ne(ptr, text, NULL));
	cr_log_info("added in %.1f ms, %zu MB rendered in %.1f ms", (double)added_ns / 1e6, size >> 20,
		    (double)rendered_ns / 1e6);
	cr_expect(lt(sz, size, 24 << 20));
#ifndef __SANITIZE_ADDRESS__
	cr_expect(lt(u64, rendered_ns, 250 * NS_PER_MS), "%.1f ms", (double)rendered_ns / 1e6);
#endif
	free(text);
	check_push(metrics);
	metrics_free(metrics);
}

/* Bounds of its own: -1, 0, 1, 3; what is above 3 has none. */
static struct metric_family *own_bounds(struct metrics *metrics)
{
	static const double bounds[] = { -1, 0, 1, 3 };
	struct metric_family *family = metrics_family(metrics, "own", "a test", METRIC_BUCKETS, UNIT_NONE, 1);

	cr_assert(eq(int, metrics_bounds(family, bounds, 4), 0));
	family->is_owned = true;
	return family;
}

static void expect_text(const struct metrics *metrics, bool is_openmetrics, const char *expected)
{
	size_t size;
	char *text = prometheus_render(metrics, is_openmetrics, &size);

	cr_expect(eq(str, text, (char *)expected));
	free(text);
}

Test(serve_metrics, a_histogram_with_its_own_bounds_shows_those_that_were_used_and_no_sum)
{
	struct metrics *metrics = metrics_new(1);
	struct metric_family *family = own_bounds(metrics);
	struct metric_label label = { "key0", "a" };
	const uint64_t counts[] = { 0, 0, 3, 4, 0 };

	cr_assert(eq(int, metrics_add_buckets(metrics, family, &label, 1, counts), 0));
	cr_assert(eq(int, metrics_add_buckets(metrics, family, &label, 1, counts), 0));
	expect_text(metrics, false,
		    "# HELP own a test\n# TYPE own histogram\n"
		    "own_bucket{key0=\"a\",le=\"0\"} 0\nown_bucket{key0=\"a\",le=\"1\"} 6\n"
		    "own_bucket{key0=\"a\",le=\"3\"} 14\nown_bucket{key0=\"a\",le=\"+Inf\"} 14\nown_count{key0=\"a\"} "
		    "14\n");
	expect_text(metrics, true,
		    "# HELP own a test\n# TYPE own histogram\n"
		    "own_bucket{key0=\"a\",le=\"0\"} 0\nown_bucket{key0=\"a\",le=\"1\"} 6\n"
		    "own_bucket{key0=\"a\",le=\"3\"} 14\nown_bucket{key0=\"a\",le=\"+Inf\"} 14\n# EOF\n");
	metrics_free(metrics);
}

Test(serve_metrics, what_is_above_all_bounds_is_in_the_count_only)
{
	struct metrics *metrics = metrics_new(1);
	const uint64_t counts[] = { 1, 0, 0, 0, 2 };

	metrics_add_buckets(metrics, own_bounds(metrics), NULL, 0, counts);
	expect_text(metrics, false,
		    "# HELP own a test\n# TYPE own histogram\nown_bucket{le=\"-1\"} 1\n"
		    "own_bucket{le=\"0\"} 1\nown_bucket{le=\"1\"} 1\nown_bucket{le=\"3\"} 1\n"
		    "own_bucket{le=\"+Inf\"} 3\nown_count 3\n");
	metrics_free(metrics);
}

Test(serve_metrics, what_is_owned_is_cleared_and_removed_by_its_owner_alone)
{
	struct metrics *metrics = metrics_new(1);
	struct metric_family *family = metrics_family(metrics, "own", "a test", METRIC_GAUGE, UNIT_NONE, 1);

	family->is_owned = true;
	metrics_set(metrics, family, NULL, 0, 1);
	metrics_clear_gauges(metrics);
	metrics_expire(metrics, UINT64_MAX);
	cr_expect(eq(sz, family->series_count, 1));
	metrics_clear(family);
	cr_expect(eq(sz, family->series_count, 0));
	metrics_remove(metrics, family);
	cr_expect(eq(sz, metrics_count(metrics), 0));
	cr_expect(eq(ptr, metrics_find(metrics, "own"), NULL));
	metrics_free(metrics);
}
