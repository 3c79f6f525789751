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

#define SLOWDOWN_SHOWN 1.11 /* probes used a tenth of the CPU time */
#define WIDEST 64	    /* characters of a column that is as wide as its texts */

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
	FILE *to = sink->setup.to;
	bool is_below = measured < hist->resolution_ns;

	if (is_below)
		fputs("< ", to);
	if (is_time(hist))
		print_duration(sink, is_below ? hist->resolution_ns : measured, 0);
	else
		fprintf(to, "%" PRIu64, measured);
}

/* 1,683 */
static const char *thousands(double number, char buf[CELL_SIZE])
{
	char digits[CELL_SIZE];
	size_t length, to = 0;

	length = (size_t)snprintf(digits, sizeof(digits), number < 10 ? "%.1f" : "%.0f", number);
	for (size_t i = 0; i < length; i++) {
		if (i && number >= 1000 && (length - i) % 3 == 0)
			buf[to++] = ',';
		buf[to++] = digits[i];
	}
	buf[to] = '\0';
	return buf;
}

static const char *seen_text(uint64_t seen, char buf[CELL_SIZE])
{
	return seen < 10 ? (snprintf(buf, CELL_SIZE, "%" PRIu64, seen), buf) : thousands((double)seen, buf);
}

/* What the results of a sample are of, once, before the first of them. */
static void print_window(struct sink *sink)
{
	const struct sink_window *w = &sink->window;
	char seen[CELL_SIZE], rate[CELL_SIZE], low[CELL_SIZE], high[CELL_SIZE];
	FILE *to = sink->setup.to;

	if (sink->has_told_window)
		return;
	sink->has_told_window = true;
	if (w->slowdown >= SLOWDOWN_SHOWN)
		fprintf(to, "while watched, the node ran up to %.1f times slower; durations include that\n",
			w->slowdown);
	if (!w->is_part)
		return;
	if (w->watched_s <= 0 && !w->seen) {
		fprintf(to, "not measured: there was no sampling window in these %.1f s\n", w->of_s);
		return;
	}
	fprintf(to, "%s seen in %.2f of %.1f s", seen_text(w->seen, seen), w->watched_s, w->of_s);
	if (w->has_rate)
		fprintf(to, ": %s/s (%s–%s)\n", thousands(w->rate, rate), thousands(w->rate_low, low),
			thousands(w->rate_high, high));
	else if (w->cut)
		fprintf(to, " (no rate: a burst cut %u of %u windows short)\n", w->cut, w->windows);
	else if (!w->seen)
		fputc('\n', to);
	else
		fprintf(to, " (no rate: %u window%s)\n", w->windows, w->windows == 1 ? "" : "s");
}

static void print_percentiles(const struct sink *sink, const struct sink_hist *hist)
{
	static const struct {
		const char *name;
		double q;
	} wanted[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p99.9", 0.999 } };
	FILE *to = sink->setup.to;
	bool is_part = sink->window.is_part;

	fprintf(to, "\n%16" PRIu64 " %s", hist->count, is_part ? "seen" : "in all");
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		if (is_part && !sink_has_percentile(hist, wanted[i].q))
			continue;
		fprintf(to, ", %s ", wanted[i].name);
		print_measured(sink, hist, sink_percentile(hist, wanted[i].q));
	}
	fputs(is_part ? ", max seen " : ", max ", to);
	print_measured(sink, hist, hist->max);
	if (!is_time(hist))
		fprintf(to, " (%s)", hist->unit);
	else if (sink->setup.milliseconds)
		fputs(" (milliseconds)", to);
	fputc('\n', to);
}

static void print_buckets(const struct sink *sink, const struct sink_hist *hist)
{
	struct quantize_below below = { .count = sink_below(hist) };
	int64_t values[SINK_BUCKETS];
	uint64_t buckets[SINK_BUCKETS];
	char label[CELL_SIZE], resolution[CELL_SIZE];

	for (unsigned int i = 0; i < SINK_BUCKETS; i++)
		values[i] = i < 64 ? (int64_t)sink_bucket_lo(hist, i) : INT64_MAX;
	sink_buckets(hist, buckets);
	snprintf(label, sizeof(label), "< %s (probe cost)",
		 cell_duration(hist->resolution_ns, sink->setup.milliseconds, resolution));
	below.label = label;
	below.before = (int64_t)hist->resolution_ns;
	quantize_print(sink->setup.to, below.count ? &below : NULL, values, buckets, SINK_BUCKETS);
}

static void print_apart(FILE *to, const struct sink_hist *hist)
{
	if (hist->apart && hist->apart->count)
		fprintf(to, "%16" PRIu64 " %s\n", hist->apart->count, cell_note(hist->apart));
}

static void text_hist(struct sink *sink, const struct sink_hist *hist)
{
	sink->has_answer = true;
	print_window(sink);
	print_key(sink, hist);
	if (!hist->key)
		fprintf(sink->setup.to, "\n  %s (%s)\n", hist->title, hist->unit);
	print_buckets(sink, hist);
	if (hist->count || !hist->apart)
		print_percentiles(sink, hist);
	print_apart(sink->setup.to, hist);
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
	print_window(sink);
	print_notes(sink->setup.to, table);
	if (!table->rows)
		return;
	sink->has_answer = true;
	sink->has_begun = false;
	print_rows(sink, table);
	/* What follows is not of this table, so it has a header of its own. */
	sink->has_begun = false;
}

static void text_nothing(struct sink *sink, const char *sentence)
{
	sink->has_answer = true;
	print_window(sink);
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
