// SPDX-License-Identifier: BSD-2-Clause
/* When series began, and what an answer to a message says. What a message holds is read back by test_export_otlp.py. */
#include "serve/metrics/otlp.h"

#include <string.h>

#include "check.h"

Test(serve_otlp, a_series_begins_with_the_reading_before_it_and_a_name_that_comes_back_begins_anew)
{
	struct metrics *metrics = metrics_new(20);
	struct metric_family *family = metrics_family(metrics, "test", "a test", METRIC_COUNTER, UNIT_NONE, 1);

	metrics_begin(metrics, 1000);
	metrics_begin(metrics, 2000);
	cr_assert(eq(int, metrics_add(metrics, family, NULL, 0, 1), 0));
	cr_expect(eq(u64, family->series[0]->since_ns, 1000));
	metrics_begin(metrics, 3000);
	cr_assert(eq(int, metrics_add(metrics, family, NULL, 0, 1), 0));
	cr_expect(eq(u64, family->series[0]->since_ns, 1000));
	metrics_expire(metrics, 4000);
	metrics_begin(metrics, 5000);
	cr_assert(eq(int, metrics_add(metrics, family, NULL, 0, 1), 0));
	cr_expect(eq(u64, family->series[0]->since_ns, 3000));
	metrics_free(metrics);
}

/* ExportMetricsServiceResponse by hand, and what is none. */
static const struct {
	const char *bytes;
	size_t size;
	uint64_t points;
	const char *why;
} answers[] = {
	{ "", 0, 0, "" },
	{ "\x0a\x00", 2, 0, "" },
	{ "\x0a\x02\x08\x05", 4, 5, "" },
	{ "\x0a\x06\x08\x05\x12\x02no", 8, 5, "no" },
	{ "\x0a\x04\x12\x02no", 6, 0, "no" },
	/* -1 points; a length beyond the end; a text of another protocol. */
	{ "\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13, 0, "" },
	{ "\x0a\x7f\x08", 3, 0, "" },
	{ "<html>", 6, 0, "" },
};

Test(serve_otlp, an_answer_tells_what_was_refused_and_nonsense_tells_nothing)
{
	for (size_t i = 0; i < COUNT(answers); i++) {
		struct otlp_refusal refusal;

		otlp_read_answer((const uint8_t *)answers[i].bytes, answers[i].size, &refusal);
		cr_expect(eq(u64, refusal.points, answers[i].points), "%zu", i);
		cr_expect(eq(str, refusal.why, (char *)answers[i].why), "%zu", i);
	}
}
