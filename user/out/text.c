// SPDX-License-Identifier: BSD-2-Clause
/* For people: a header once, a row per event, histograms as DTrace prints them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/text.h"
#include "erl.h"
#include "out/cell.h"
#include "out/quantize.h"
#include "out/sink.h"
#include "out/sink_hist.h"

#define WIDEST 64 /* characters of a column that is as wide as its texts */

static void print_safe(FILE *to, const char *text, int width)
{
	_cleanup_free_ char *safe = text_for_terminal(text);

	fprintf(to, "%*s", width, safe ? safe : "?");
}

static void print_header(struct sink *sink, bool has_time)
{
	FILE *to = sink->setup.to;

	if (sink->has_begun)
		return;
	sink->has_begun = true;
	if (has_time)
		fprintf(to, "%-15s ", "TIME");
	for (size_t i = 0; i < sink->setup.column_count; i++) {
		char title[CELL_SIZE];

		if (sink->setup.columns[i].width == COLUMN_NOT_IN_TEXT)
			continue;
		fprintf(to, "%s%*s", i ? " " : "", sink->setup.columns[i].width,
			cell_title(&sink->setup.columns[i], title));
	}
	fputc('\n', to);
}

static void print_time(const struct sink *sink, uint64_t time_ns)
{
	char clock[CELL_CLOCK];

	if (sink->setup.show_time)
		fprintf(sink->setup.to, "%s ", cell_clock_us(time_ns, clock));
}

static void print_duration(const struct sink *sink, uint64_t ns, int width)
{
	char buf[32];

	fprintf(sink->setup.to, "%*s", width, cell_duration(ns, sink->setup.milliseconds, buf));
}

static void print_row(const struct sink *sink, const struct value *values)
{
	for (size_t i = 0; i < sink->setup.column_count; i++) {
		const struct column *column = &sink->setup.columns[i];
		char buf[CELL_SIZE];

		if (column->width == COLUMN_NOT_IN_TEXT)
			continue;
		if (i)
			fputc(' ', sink->setup.to);
		if (column->type == COLUMN_TEXT && !values[i].is_null)
			print_safe(sink->setup.to, values[i].text, column->width);
		else
			fprintf(sink->setup.to, "%*s", column->width,
				cell_format(column, &values[i], sink->setup.milliseconds, buf));
	}
	fputc('\n', sink->setup.to);
}

static void text_event(struct sink *sink, const struct sink_event *event)
{
	sink->has_answer = true;
	print_header(sink, sink->setup.show_time);
	print_time(sink, event->time_ns);
	print_row(sink, event->values);
}

static void text_interval(struct sink *sink, uint64_t time_ns)
{
	char clock[CELL_CLOCK];

	if (sink->setup.show_time)
		fprintf(sink->setup.to, "\n%s\n", cell_clock(time_ns, clock));
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
	if (hist->os_id)
		fprintf(to, " (process %u)", erl_os_pid((uint32_t)hist->os_id));
	if (hist->is_waiting)
		fprintf(to, ": %s (%s)", hist->title, hist->unit);
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

static const char *count_text(const struct sink *sink, uint64_t count, char buf[CELL_SIZE])
{
	snprintf(buf, CELL_SIZE, "%s%" PRIu64, sink->window.is_part ? "~" : "", count);
	return buf;
}

/* Numbers that are scaled are marked, and above them stands why. */
static void print_window(const struct sink *sink)
{
	if (sink->window.is_part)
		fprintf(sink->setup.to, "  (estimates: probes were on for %.2f of %.1f s)\n", sink->window.on_s,
			sink->window.of_s);
}

static void print_percentiles(const struct sink *sink, const struct sink_hist *hist)
{
	static const struct {
		const char *name;
		double q;
	} wanted[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p99.9", 0.999 } };
	FILE *to = sink->setup.to;
	char count[CELL_SIZE];

	fprintf(to, "\n%16s", count_text(sink, hist->count, count));
	fputs(" in all", to);
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

	sink->has_answer = true;
	print_key(sink, hist);
	if (!hist->key)
		fprintf(sink->setup.to, "\n  %s (%s)\n", hist->title, hist->unit);
	print_window(sink);
	for (unsigned int i = 0; i < SINK_BUCKETS; i++)
		values[i] = i < 64 ? (int64_t)sink_bucket_lo(i) : INT64_MAX;
	sink_buckets(hist, buckets);
	quantize_print(sink->setup.to, values, buckets, SINK_BUCKETS);
	print_percentiles(sink, hist);
}

static void print_note(FILE *to, const struct sink_note *note)
{
	fprintf(to, "%" PRIu64 " %s", note->count, cell_note(note));
}

static void print_notes(FILE *to, const struct sink_table *table)
{
	const char *comma = "";

	for (size_t i = 0; i < table->note_count; i++) {
		if (!table->notes[i].text || !table->notes[i].count)
			continue;
		fputs(comma, to);
		print_note(to, &table->notes[i]);
		comma = ", ";
	}
	if (*comma)
		fputc('\n', to);
}

/* For all its texts, up to a limit: a longer one moves what is behind it. */
static int width_for(const struct sink_table *table, const struct sink_setup *setup, size_t column)
{
	int width = -setup->columns[column].width;

	for (size_t row = 0; row < table->rows; row++) {
		const struct value *cell = &table->cells[row * setup->column_count + column];
		_cleanup_free_ char *safe = cell->is_null ? NULL : text_for_terminal(cell->text);
		size_t length = safe ? strlen(safe) : 0;

		if (length > (size_t)width && length <= WIDEST)
			width = (int)length;
	}
	return -width;
}

static bool is_flexible(const struct column *column)
{
	return column->type == COLUMN_TEXT && column->width < 0 && column->width != COLUMN_NOT_IN_TEXT;
}

static void print_rows(struct sink *sink, const struct sink_table *table)
{
	const struct sink_setup setup = sink->setup;
	struct column *columns = calloc(setup.column_count, sizeof(*columns));

	if (columns) {
		memcpy(columns, setup.columns, setup.column_count * sizeof(*columns));
		for (size_t i = 0; i < setup.column_count; i++) {
			if (is_flexible(&columns[i]))
				columns[i].width = width_for(table, &setup, i);
		}
		sink->setup.columns = columns;
	}
	print_header(sink, false);
	for (size_t i = 0; i < table->rows; i++)
		print_row(sink, table->cells + i * sink->setup.column_count);
	sink->setup = setup;
	free(columns);
}

static void text_table(struct sink *sink, const struct sink_table *table)
{
	print_notes(sink->setup.to, table);
	if (!table->rows)
		return;
	sink->has_answer = true;
	sink->has_begun = false;
	print_window(sink);
	print_rows(sink, table);
	/* What follows is not of this table, so it has a header of its own. */
	sink->has_begun = false;
}

static void text_nothing(struct sink *sink, const char *sentence)
{
	sink->has_answer = true;
	print_safe(sink->setup.to, sentence, 0);
	fputc('\n', sink->setup.to);
}

/* On stderr: it is about the data, not data. */
static void text_summary(struct sink *sink, const struct sink_summary *summary)
{
	fflush(sink->setup.to);
	for (size_t i = 0; i < summary->note_count; i++) {
		if (!summary->notes[i].count)
			continue;
		print_note(stderr, &summary->notes[i]);
		fputc('\n', stderr);
	}
	for (size_t i = 0; i < summary->probe_count; i++) {
		if (summary->probes[i].lost)
			fprintf(stderr, "lost: %" PRIu64 " of %" PRIu64 " events of %s\n", summary->probes[i].lost,
				summary->probes[i].events + summary->probes[i].lost, summary->probes[i].name);
	}
}

const struct sink_ops sink_text = {
	.interval = text_interval,
	.event = text_event,
	.hist = text_hist,
	.table = text_table,
	.summary = text_summary,
	.nothing = text_nothing,
};
