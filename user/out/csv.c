// SPDX-License-Identifier: BSD-2-Clause
/* CSV as RFC 4180 has it, one table a run: events or table rows, or the buckets of histograms. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "erl.h"
#include "base/text.h"
#include "out/sink.h"
#include "out/sink_hist.h"
#include "node/memory/erlid.h"

/* Quoted where it must be; a leading =, +, - or @ would be a formula to a spreadsheet. */
static void print_field(FILE *to, const char *text)
{
	_cleanup_free_ char *safe = text_for_terminal(text);

	if (!safe)
		return;
	if (!strpbrk(safe, ",\"") && !strchr("=+-@", safe[0] ? safe[0] : 'x')) {
		fputs(safe, to);
		return;
	}
	fputc('"', to);
	if (strchr("=+-@", safe[0]))
		fputc('\'', to);
	for (const char *c = safe; *c; c++) {
		if (*c == '"')
			fputc('"', to);
		fputc(*c, to);
	}
	fputc('"', to);
}

static void print_value(FILE *to, const struct column *column, const struct value *value)
{
	char id[ERLID_SIZE];

	if (value->is_null || value->is_below)
		return;
	if (column->type == COLUMN_TEXT)
		print_field(to, value->text);
	else if (column->type == COLUMN_PID)
		print_field(to, erlid_format(value->number, id));
	else if (column->type == COLUMN_SIGNED)
		fprintf(to, "%" PRId64, value->signed_number);
	else if (column->type == COLUMN_DECIMAL)
		fprintf(to, "%.3f", (double)value->number / 1000);
	else
		fprintf(to, "%" PRIu64, value->number);
}

/* Columns of all results that count: how much of the time was watched. */
#define WINDOW_COLUMNS "watched_s,windows,rate,rate_low,rate_high"

static void print_window(const struct sink *sink)
{
	const struct sink_window *w = &sink->window;
	FILE *to = sink->setup.to;

	if (!w->is_part) {
		fputs(",,,,", to);
		return;
	}
	fprintf(to, "%.3f,%u,", w->watched_s, w->windows);
	if (w->has_rate)
		fprintf(to, "%.6g,%.6g,%.6g", w->rate, w->rate_low, w->rate_high);
	else
		fputs(",,", to);
}

static void print_names(struct sink *sink, const char *before, const char *behind)
{
	const char *comma = *before ? "," : "";

	if (sink->has_begun)
		return;
	sink->has_begun = true;
	fputs(before, sink->setup.to);
	for (size_t i = 0; i < sink->setup.column_count; i++) {
		if (sink->setup.columns[i].only_text)
			continue;
		fprintf(sink->setup.to, "%s%s", comma, sink->setup.columns[i].name);
		comma = ",";
	}
	fprintf(sink->setup.to, "%s\n", behind);
}

static void print_values(const struct sink *sink, const struct value *values, const char *comma)
{
	for (size_t i = 0; i < sink->setup.column_count; i++) {
		if (sink->setup.columns[i].only_text)
			continue;
		fputs(comma, sink->setup.to);
		print_value(sink->setup.to, &sink->setup.columns[i], &values[i]);
		comma = ",";
	}
}

static void csv_interval(struct sink *sink, uint64_t time_ns)
{
	(void)sink;
	(void)time_ns;
}

static void csv_event(struct sink *sink, const struct sink_event *event)
{
	FILE *to = sink->setup.to;

	sink->has_events = true;
	print_names(sink, "time,os_pid,node,probe", "");
	fprintf(to, "%" PRIu64 ",%u,", event->time_ns, erl_os_pid((uint32_t)event->os_id));
	print_field(to, event->node);
	fprintf(to, ",%s", event->probe);
	print_values(sink, event->values, ",");
	fputc('\n', to);
}

static void print_key(FILE *to, const struct sink_hist *hist)
{
	if (hist->os_id)
		fprintf(to, "%u", erl_os_pid((uint32_t)hist->os_id));
	fputc(',', to);
	print_field(to, hist->node ? hist->node : "");
	fputc(',', to);
	print_field(to, hist->key ? hist->key : "");
	fputc(',', to);
	print_field(to, hist->name ? hist->name : "");
}

/* Instead of a unit it has the name of the kind, and no bounds. */
static void print_apart(const struct sink *sink, const struct sink_hist *hist)
{
	FILE *to = sink->setup.to;

	if (!hist->apart || !hist->apart->count)
		return;
	print_key(to, hist);
	fprintf(to, ",%s,,,%" PRIu64 ",", hist->apart->name, hist->apart->count);
	print_window(sink);
	fputc('\n', to);
}

static void print_bucket(const struct sink *sink, const struct sink_hist *hist, uint64_t lo, uint64_t hi,
			 uint64_t count)
{
	FILE *to = sink->setup.to;

	if (!count)
		return;
	print_key(to, hist);
	fprintf(to, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", hist->unit, lo, hi, count);
	print_window(sink);
	fputc('\n', to);
}

static void csv_hist(struct sink *sink, const struct sink_hist *hist)
{
	uint64_t counts[SINK_BUCKETS];

	/* One table a file: where single events or a table are printed, they are what was asked for. */
	if (sink->has_events || sink->has_tables)
		return;
	if (!sink->has_begun)
		fputs("os_pid,node,key,name,unit,lo,hi,count," WINDOW_COLUMNS "\n", sink->setup.to);
	sink->has_begun = true;
	sink_buckets(hist, counts);
	print_apart(sink, hist);
	print_bucket(sink, hist, 0, hist->resolution_ns - 1, sink_below(hist));
	for (unsigned int i = 0; i < SINK_BUCKETS; i++)
		print_bucket(sink, hist, sink_bucket_lo(hist, i), sink_bucket_hi(i), counts[i]);
}

static void csv_table(struct sink *sink, const struct sink_table *table)
{
	sink->has_tables = true;
	print_names(sink, "", "," WINDOW_COLUMNS);
	for (size_t row = 0; row < table->rows; row++) {
		print_values(sink, table->cells + row * sink->setup.column_count, "");
		fputc(',', sink->setup.to);
		print_window(sink);
		fputc('\n', sink->setup.to);
	}
}

/* Nothing but data in the file; losses are told on stderr as in text. */
static void csv_summary(struct sink *sink, const struct sink_summary *summary)
{
	sink_text.summary(sink, summary);
}

const struct sink_ops sink_csv = {
	.interval = csv_interval,
	.event = csv_event,
	.hist = csv_hist,
	.table = csv_table,
	.summary = csv_summary,
};
