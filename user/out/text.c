// SPDX-License-Identifier: BSD-2-Clause
/* For people: a header once, a row per event, histograms as DTrace prints them. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/text.h"
#include "out/quantize.h"
#include "out/sink.h"
#include "probe/erlid.h"

static void print_safe(FILE *to, const char *text, int width)
{
	_cleanup_free_ char *safe = text_for_terminal(text);

	fprintf(to, "%*s", width, safe ? safe : "?");
}

static void print_title(FILE *to, const struct column *column)
{
	char title[64];
	size_t n = 0;

	for (; column->name[n] && n + 1 < sizeof(title); n++)
		title[n] = (char)toupper((unsigned char)column->name[n]);
	title[n] = '\0';
	fprintf(to, "%*s", column->width, title);
}

static void print_header(struct sink *sink, bool has_time)
{
	FILE *to = sink->setup.to;

	if (sink->has_begun)
		return;
	sink->has_begun = true;
	if (has_time)
		fprintf(to, "%-8s ", "TIME");
	for (size_t i = 0; i < sink->setup.column_count; i++) {
		if (i)
			fputc(' ', to);
		print_title(to, &sink->setup.columns[i]);
	}
	fputc('\n', to);
}

static void print_time(const struct sink *sink, uint64_t time_ns)
{
	char clock[16];

	if (sink->setup.show_time)
		fprintf(sink->setup.to, "%-8s ", sink_clock(time_ns, clock));
}

static void print_duration(const struct sink *sink, uint64_t ns, int width)
{
	char buf[32];

	if (sink->setup.milliseconds)
		snprintf(buf, sizeof(buf), "%.3f", (double)ns / NS_PER_MS);
	else
		duration_format(ns, buf);
	fprintf(sink->setup.to, "%*s", width, buf);
}

static void print_value(const struct sink *sink, const struct column *column, const struct value *value)
{
	FILE *to = sink->setup.to;
	char buf[ERLID_SIZE];

	if (value->is_null) {
		fprintf(to, "%*s", column->width, "-");
		return;
	}
	switch (column->type) {
	case COLUMN_TEXT:
		print_safe(to, value->text, column->width);
		break;
	case COLUMN_NUMBER:
		fprintf(to, "%*" PRIu64, column->width, value->number);
		break;
	case COLUMN_SIGNED:
		fprintf(to, "%*" PRId64, column->width, value->signed_number);
		break;
	case COLUMN_TIME:
		fprintf(to, "%s.%06u", sink_clock(value->number, buf),
			(unsigned int)(value->number % NS_PER_S / NS_PER_US));
		break;
	case COLUMN_DURATION:
		print_duration(sink, value->number, column->width);
		break;
	case COLUMN_PID:
		fprintf(to, "%*s", column->width, erlid_format(value->number, buf));
		break;
	}
}

static void print_row(const struct sink *sink, const struct value *values)
{
	for (size_t i = 0; i < sink->setup.column_count; i++) {
		if (i)
			fputc(' ', sink->setup.to);
		print_value(sink, &sink->setup.columns[i], &values[i]);
	}
	fputc('\n', sink->setup.to);
}

static void text_event(struct sink *sink, const struct sink_event *event)
{
	print_header(sink, sink->setup.show_time);
	print_time(sink, event->time_ns);
	print_row(sink, event->values);
}

static void text_interval(struct sink *sink, uint64_t time_ns)
{
	char clock[16];

	if (sink->setup.show_time)
		fprintf(sink->setup.to, "\n%s\n", sink_clock(time_ns, clock));
}

static void print_key(const struct sink *sink, const struct sink_hist *hist)
{
	FILE *to = sink->setup.to;

	if (!hist->key)
		return;
	fputs("\n  ", to);
	print_safe(to, hist->key, 0);
	if (hist->name && *hist->name) {
		fputc(' ', to);
		print_safe(to, hist->name, 0);
	}
	if (hist->node && *hist->node && strcmp(hist->node, hist->key)) {
		fputs(" on ", to);
		print_safe(to, hist->node, 0);
	}
	if (hist->os_pid)
		fprintf(to, " (process %d)", hist->os_pid);
	fputc('\n', to);
}

static bool is_time(const struct sink_hist *hist)
{
	return !strcmp(hist->unit, "ns");
}

static void print_measured(const struct sink *sink, const struct sink_hist *hist, uint64_t measured)
{
	if (is_time(hist))
		print_duration(sink, measured, 0);
	else
		fprintf(sink->setup.to, "%" PRIu64, measured);
}

static void print_percentiles(const struct sink *sink, const struct sink_hist *hist)
{
	static const struct {
		const char *name;
		double q;
	} wanted[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p99.9", 0.999 } };
	FILE *to = sink->setup.to;

	fprintf(to, "\n%16" PRIu64 " in all", hist->count);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		fprintf(to, ", %s ", wanted[i].name);
		print_measured(sink, hist, sink_percentile(hist, wanted[i].q));
	}
	fputs(", max ", to);
	print_measured(sink, hist, hist->max);
	if (!is_time(hist))
		fprintf(to, " (%s)", hist->unit);
	else if (sink->setup.milliseconds)
		fputs(" (milliseconds)", to);
	fputc('\n', to);
}

static void text_hist(struct sink *sink, const struct sink_hist *hist)
{
	int64_t values[SINK_BUCKETS];
	uint64_t buckets[SINK_BUCKETS];

	print_key(sink, hist);
	if (!hist->key)
		fprintf(sink->setup.to, "\n  %s (%s)\n", hist->title, hist->unit);
	for (unsigned int i = 0; i < SINK_BUCKETS; i++)
		values[i] = i < 64 ? (int64_t)sink_bucket_lo(i) : INT64_MAX;
	sink_buckets(hist, buckets);
	quantize_print(sink->setup.to, values, buckets, SINK_BUCKETS);
	print_percentiles(sink, hist);
}

static void text_table(struct sink *sink, const struct sink_table *table)
{
	sink->has_begun = false;
	print_header(sink, false);
	for (size_t i = 0; i < table->rows; i++)
		print_row(sink, table->cells + i * sink->setup.column_count);
}

/* On stderr: it is about the data, not data. */
static void text_summary(struct sink *sink, const struct sink_summary *summary)
{
	fflush(sink->setup.to);
	for (size_t i = 0; i < summary->note_count; i++) {
		if (summary->notes[i].count)
			fprintf(stderr, "%" PRIu64 " %s\n", summary->notes[i].count,
				summary->notes[i].text);
	}
	for (size_t i = 0; i < summary->probe_count; i++) {
		if (summary->probes[i].lost)
			fprintf(stderr, "lost: %" PRIu64 " of %" PRIu64 " events of %s\n",
				summary->probes[i].lost,
				summary->probes[i].events + summary->probes[i].lost,
				summary->probes[i].name);
	}
}

const struct sink_ops sink_text = {
	.interval = text_interval,
	.event = text_event,
	.hist = text_hist,
	.table = text_table,
	.summary = text_summary,
};
