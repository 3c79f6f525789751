// SPDX-License-Identifier: BSD-2-Clause
#include "out/quantize.h"

#include <inttypes.h>

#define BAR 40

static void print_row(FILE *to, int64_t value, uint64_t count, uint64_t total)
{
	static const char ats[] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";
	int length = (int)((long double)count * BAR / (long double)total + 0.5L);

	fprintf(to, "%16" PRId64 " |%-*.*s %-9" PRIu64 "\n", value, BAR, length, ats, count);
}

void quantize_print(FILE *to, const int64_t *values, const uint64_t *counts, unsigned int count)
{
	unsigned int first = 0, last = count;
	uint64_t total = 0;

	for (unsigned int i = 0; i < count; i++)
		total += counts[i];
	if (!total)
		return;
	while (!counts[first])
		first++;
	while (!counts[last - 1])
		last--;
	first -= first > 0;
	last += last < count;
	fprintf(to, "\n%16s %41s %-9s\n", "value", "------------- Distribution -------------", "count");
	for (unsigned int i = first; i < last; i++)
		print_row(to, values[i], counts[i], total);
}
