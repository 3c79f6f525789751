// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/aggregations/bars.h"

#include <inttypes.h>

#define LENGTH 40
#define ZOOM (1 / 0.95) /* -x aggzoom: the longest bar is full */

/*
 * U+2588 to U+258F: blocks from eight eighths to one, filled from the left; U+2581 to U+2588: from one to eight, from
 * below.
 */
static const char full[] = "\u2588";
static const char *const wide[] = { "", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589" };
static const char *const high[] = { "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", full };
#define EIGHTHS 8

static const char positive[] = "__xxxxXX", negative[] = "vvvvVV";
static const char ats[] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";

static long double magnitude(int64_t size)
{
	return size < 0 ? -(long double)size : (long double)size;
}

void bars_add(struct bars *bars, int64_t size)
{
	long double much = magnitude(size);

	bars->has_positive |= size > 0;
	bars->has_negative |= size < 0;
	if (!bars->options->agg_zoom)
		bars->total += much;
	else if (bars->total < much * ZOOM)
		bars->total = much * ZOOM;
}

void bars_print_heading(FILE *to, int width, const char *label)
{
	fprintf(to, "\n%*s %41s %-9s\n", width, label, "------------- Distribution -------------", "count");
}

/* The value in steps of the scale. */
static long double share(const struct bars *bars, int64_t size, int steps)
{
	return bars->total > 0 ? magnitude(size) * steps / bars->total : 0;
}

static int nearest(const struct bars *bars, int64_t size, int steps)
{
	return (int)(share(bars, size, steps) + 0.5L);
}

/* If all numbers have one sign, they use the whole bar; otherwise zero is in its middle. */
static void print_ats(FILE *to, const struct bars *bars, int64_t size)
{
	int length = nearest(bars, size, LENGTH), half = nearest(bars, size, LENGTH / 2);

	if (!bars->has_negative)
		fprintf(to, "|%-*.*s", LENGTH, length, ats);
	else if (!bars->has_positive)
		fprintf(to, "%*.*s|", LENGTH, length, ats);
	else if (size <= 0)
		fprintf(to, "%*.*s|%*s", LENGTH / 2, half, ats, LENGTH / 2, "");
	else
		fprintf(to, "%*s|%-*.*s", LENGTH / 2, "", LENGTH / 2, half, ats);
}

/* Whole columns, and eighths of one more. */
static void print_blocks(FILE *to, const struct bars *bars, int64_t size)
{
	int eighths = (int)(share(bars, size, LENGTH) * EIGHTHS), columns = 0;

	fputc('|', to);
	for (; columns < eighths / EIGHTHS; columns++)
		fputs(full, to);
	fputs(wide[eighths % EIGHTHS], to);
	columns += eighths % EIGHTHS > 0;
	fprintf(to, "%*s", LENGTH - columns, "");
}

void bars_print_packed(FILE *to, const struct bars *bars, int64_t size)
{
	if (!size)
		fputc(' ', to);
	else if (size < 0)
		fputc(negative[nearest(bars, size, sizeof(negative) - 2)], to);
	else if (bars->options->has_utf8_packed)
		fputs(high[nearest(bars, size, EIGHTHS - 1)], to);
	else
		fputc(positive[nearest(bars, size, sizeof(positive) - 2)], to);
}

void bars_print(FILE *to, const struct bars *bars, int64_t size, int64_t number)
{
	if (bars->options->has_utf8_bars && bars->has_positive && !bars->has_negative)
		print_blocks(to, bars, size);
	else
		print_ats(to, bars, size);
	fprintf(to, " %-9" PRId64 "\n", number);
}
