// SPDX-License-Identifier: BSD-2-Clause
#include "out/quantize.h"

#include <inttypes.h>
#include <string.h>

#define BAR 40
#define LABEL 16

struct layout {
	FILE *to;
	int width; /* of labels */
	uint64_t total;
};

static void print_bar(const struct layout *l, uint64_t count)
{
	static const char ats[] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";
	int length = (int)((long double)count * BAR / (long double)l->total + 0.5L);

	fprintf(l->to, " |%-*.*s %-9" PRIu64 "\n", BAR, length, ats, count);
}

static void print_row(const struct layout *l, int64_t value, uint64_t count)
{
	fprintf(l->to, "%*" PRId64, l->width, value);
	print_bar(l, count);
}

static void print_below(const struct layout *l, const struct quantize_below *below)
{
	fprintf(l->to, "%*s", l->width, below->label);
	print_bar(l, below->count);
}

void quantize_print(FILE *to, const struct quantize_below *below, const int64_t *values, const uint64_t *counts,
		    unsigned int count)
{
	struct layout l = { .to = to, .width = LABEL, .total = below ? below->count : 0 };
	unsigned int first = 0, last = count;

	if (below && strlen(below->label) > LABEL)
		l.width = (int)strlen(below->label);
	for (unsigned int i = 0; i < count; i++)
		l.total += counts[i];
	if (!l.total)
		return;
	while (below ? values[first] < below->before : !counts[first])
		first++;
	while (last > first && !counts[last - 1])
		last--;
	first -= !below && first > 0;
	last += last < count;
	fprintf(to, "\n%*s %41s %-9s\n", l.width, "value", "------------- Distribution -------------", "count");
	if (below)
		print_below(&l, below);
	for (unsigned int i = first; i < last; i++)
		print_row(&l, values[i], counts[i]);
}
