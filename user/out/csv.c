// SPDX-License-Identifier: BSD-2-Clause
/* CSV as RFC 4180 has it, one table a run: events or table rows, or the buckets of histograms. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "out/sink.h"
#include "probe/erlid.h"

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

	if (value->is_null)
		return;
	if (column->type == COLUMN_TEXT)
		print_field(to, value->text);
	else if (column->type == COLUMN_PID)
		print_field(to, erlid_format(value->number, id));
	else if (column->type == COLUMN_SIGNED)
		fprintf(to, "%" PRId64, value->signed_number);
	else
		fprintf(to, "%" PRIu64, value->number);
}

static void print_names(struct sink *sink, const char *before)
{
	if (sink->has_begun)
		return;
	sink->has_begun = true;
	fputs(before, sink->setup.to);
	for (size_t i = 0; i < sink->setup.column_count; i++)
		fprintf(sink->setup.to, "%s%s", i || *before ? "," : "", sink->setup.columns[i].name);
	fputc('\n', sink->setup.to);
}

static void csv_interval(struct sink *sink, uint64_t time_ns)
{
	(void)sink;
	(void)time_ns;
}

static void csv_event(struct sink *sink, const struct sink_event *event)
{
	FILE *to = sink->setup.to;

	print_names(sink, "time,os_pid,node,probe");
	fprintf(to, "%" PRIu64 ",%d,", event->time_ns, event->os_pid);
	print_field(to, event->node);
	fprintf(to, ",%s", event->probe);
	for (size_t i = 0; i < sink->setup.column_count; i++) {
		fputc(',', to);
		print_value(to, &sink->setup.columns[i], &event->values[i]);
	}
	fputc('\n', to);
}

static void csv_hist(struct sink *sink, const struct sink_hist *hist)
{
	uint64_t counts[SINK_BUCKETS];
	FILE *to = sink->setup.to;

	if (!sink->has_begun)
		fputs("os_pid,node,key,unit,lo,hi,count\n", to);
	sink->has_begun = true;
	sink_buckets(hist, counts);
	for (unsigned int i = 0; i < SINK_BUCKETS; i++) {
		if (!counts[i])
			continue;
		if (hist->os_pid)
			fprintf(to, "%d", hist->os_pid);
		fputc(',', to);
		print_field(to, hist->node ? hist->node : "");
		fputc(',', to);
		print_field(to, hist->key ? hist->key : "");
		fprintf(to, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", hist->unit, sink_bucket_lo(i),
			sink_bucket_hi(i), counts[i]);
	}
}

static void csv_table(struct sink *sink, const struct sink_table *table)
{
	size_t n = sink->setup.column_count;

	print_names(sink, "");
	for (size_t row = 0; row < table->rows; row++) {
		for (size_t i = 0; i < n; i++) {
			if (i)
				fputc(',', sink->setup.to);
			print_value(sink->setup.to, &sink->setup.columns[i], &table->cells[row * n + i]);
		}
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
