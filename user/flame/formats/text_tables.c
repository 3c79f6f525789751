// SPDX-License-Identifier: BSD-2-Clause
/* A profile as text: the functions with the largest weight, then the stacks. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/duration.h"
#include "base/text.h"
#include "flame/profile.h"
#include "flame/profile_parts.h"

#define INDENT 10	/* for the frames of a stack */
#define LONGEST_FILE 60 /* characters of a file name */

struct text {
	const struct profile *profile;
	FILE *to;
	size_t rows, width;
	int err; /* -ENOMEM if something is missing */
};

/* --- Names --------------------------------------------------------------------------------------------------- */

/* The length in bytes of the first `characters` characters. */
static size_t bytes_of(const char *text, size_t characters)
{
	size_t at = 0;

	for (; text[at] && characters; characters--) {
		at++;
		while (((unsigned char)text[at] & 0xc0) == 0x80)
			at++;
	}
	return at;
}

/* Writes a name, made safe, and the text after it into the rest of a line of which `used` columns are used. */
static void put_name(struct text *text, size_t used, const char *name, const char *behind)
{
	_cleanup_free_ char *safe = text_for_terminal(name);
	size_t taken = used + strlen(behind), room = text->width > taken ? text->width - taken : 1, size;

	if (!safe) {
		text->err = -ENOMEM;
		return;
	}
	size = text->width ? bytes_of(safe, room) : strlen(safe);
	fprintf(text->to, "%.*s%s\n", (int)size, safe, behind);
}

static void put_title(struct text *text)
{
	const struct profile *profile = text->profile;
	_cleanup_free_ char *title = text_for_terminal(profile->title);
	_cleanup_free_ char *unit = text_for_terminal(profile->unit);
	bool is_time = !strcmp(profile->unit, "ns");
	char total[WEIGHT_SIZE], lost[WEIGHT_SIZE], duration[WEIGHT_SIZE];

	if (!title || !unit) {
		text->err = -ENOMEM;
		return;
	}
	fprintf(text->to, "%s: %s%s%s", title, weight_format(profile, profile->total, total), is_time ? "" : " ",
		is_time ? "" : unit);
	if (profile->duration_ns)
		fprintf(text->to, " in %s", duration_format(profile->duration_ns, duration));
	if (profile->lost)
		fprintf(text->to, ", and %s lost", weight_format(profile, profile->lost, lost));
	fputc('\n', text->to);
}

/* --- Functions ----------------------------------------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int by_self(const void *a, const void *b)
{
	const struct function_total *x = a, *y = b;
	int order = compare(x->self, y->self);

	if (!order)
		order = compare(x->total, y->total);
	return order ? order : compare(y->function, x->function);
}

static uint64_t change(uint64_t before, uint64_t after)
{
	return before > after ? before - after : after - before;
}

static int by_change(const void *a, const void *b)
{
	const struct function_total *x = a, *y = b;
	int order = compare(change(x->self_before, x->self), change(y->self_before, y->self));

	if (!order)
		order = compare(change(x->total_before, x->total), change(y->total_before, y->total));
	return order ? order : compare(y->function, x->function);
}

static void put_function(struct text *text, const struct function_total *row)
{
	const struct profile *profile = text->profile;
	char self[WEIGHT_SIZE], total[WEIGHT_SIZE];
	int used = fprintf(text->to, "%12s %5.1f%% %12s %5.1f%%  ", weight_format(profile, row->self, self),
			   weight_percent(row->self, profile->total), weight_format(profile, row->total, total),
			   weight_percent(row->total, profile->total));

	put_name(text, used > 0 ? (size_t)used : 0, profile->functions[row->function].name, "");
}

/* The shares before and after, and their difference in percentage points. */
static void put_changed_function(struct text *text, const struct function_total *row)
{
	const struct profile *profile = text->profile;
	double self = weight_percent(row->self, profile->total);
	double total = weight_percent(row->total, profile->total);
	double self_before = weight_percent(row->self_before, profile->before);
	double total_before = weight_percent(row->total_before, profile->before);
	int used = fprintf(text->to, "%8.1f%% %8.1f%% %+7.1f %8.1f%% %8.1f%% %+7.1f  ", self_before, self,
			   self - self_before, total_before, total, total - total_before);

	put_name(text, used > 0 ? (size_t)used : 0, profile->functions[row->function].name, "");
}

static void put_heads(struct text *text)
{
	if (text->profile->is_difference)
		fprintf(text->to, "\n%9s %9s %7s %9s %9s %7s  %s\n", "SELF-WAS", "SELF-IS", "CHANGE", "TOTAL-WAS",
			"TOTAL-IS", "CHANGE", "FUNCTION");
	else
		fprintf(text->to, "\n%12s %6s %12s %6s  %s\n", "SELF", "", "TOTAL", "", "FUNCTION");
}

static void put_functions(struct text *text)
{
	bool is_difference = text->profile->is_difference;
	size_t count;
	_cleanup_free_ struct function_total *totals = totals_make(text->profile, &count);

	if (!totals) {
		text->err = -ENOMEM;
		return;
	}
	qsort(totals, count, sizeof(*totals), is_difference ? by_change : by_self);
	put_heads(text);
	for (size_t i = 0; i < count && i < text->rows; i++) {
		if (is_difference)
			put_changed_function(text, &totals[i]);
		else
			put_function(text, &totals[i]);
	}
	if (count > text->rows)
		fprintf(text->to, "%12s %zu more functions\n", "", count - text->rows);
}

/* --- Stacks -------------------------------------------------------------------------------------------------- */

struct heavy {
	uint64_t weight; /* the sort key */
	uint32_t node;
};

static int by_weight(const void *a, const void *b)
{
	const struct heavy *x = a, *y = b;
	int order = compare(x->weight, y->weight);

	return order ? order : compare(y->node, x->node);
}

static uint64_t weight_of(const struct profile *profile, const struct node *node)
{
	return profile->is_difference ? change(node->before, node->value) : node->value;
}

/* All nodes with weight, heaviest first. */
static struct heavy *heaviest(const struct profile *profile, size_t *count)
{
	struct heavy *all = malloc(profile->node_count * sizeof(*all));

	*count = 0;
	for (uint32_t i = 0; all && i < profile->node_count; i++) {
		uint64_t weight = weight_of(profile, &profile->nodes[i]);

		if (weight)
			all[(*count)++] = (struct heavy){ weight, i };
	}
	if (all)
		qsort(all, *count, sizeof(*all), by_weight);
	return all;
}

static void put_weight(struct text *text, const struct node *node)
{
	const struct profile *profile = text->profile;
	double percent = weight_percent(node->value, profile->total);
	double before = weight_percent(node->before, profile->before);
	char weight[WEIGHT_SIZE];

	if (profile->is_difference)
		fprintf(text->to, "\n%8.1f%% %8.1f%% %+7.1f\n", before, percent, percent - before);
	else
		fprintf(text->to, "\n%12s %5.1f%%\n", weight_format(profile, node->value, weight), percent);
}

/* " (lists.erl:1559)", or ":1559" if the file is unknown. */
static void format_line(const struct text *text, const struct frame *frame, char *to, size_t size)
{
	const char *file = text->profile->functions[frame->function].file, *slash = strrchr(file, '/');
	_cleanup_free_ char *safe = text_for_terminal(slash ? slash + 1 : file);

	if (frame->line && safe && *safe)
		snprintf(to, size, " (%.*s:%" PRIu32 ")", (int)bytes_of(safe, LONGEST_FILE), safe, frame->line);
	else if (frame->line)
		snprintf(to, size, ":%" PRIu32, frame->line);
}

/* "lists:map/2 (lists.erl:1559) (12 times)" */
static void put_frame(struct text *text, uint32_t number, unsigned int times)
{
	const struct frame *frame = &text->profile->frames[number];
	char behind[4 * LONGEST_FILE + 48] = "";

	format_line(text, frame, behind, sizeof(behind) - 24);
	if (times > 1)
		snprintf(behind + strlen(behind), sizeof(behind) - strlen(behind), " (%u times)", times);
	fprintf(text->to, "%*s", INDENT, "");
	put_name(text, INDENT, text->profile->functions[frame->function].name, behind);
}

/* The leaf first, as in a stack trace; direct recursion is one line. */
static void put_stack(struct text *text, uint32_t number)
{
	const struct node *nodes = text->profile->nodes;

	put_weight(text, &nodes[number]);
	while (number) {
		uint32_t frame = nodes[number].frame;
		unsigned int times = 0;

		for (; nodes[number].frame == frame; number = nodes[number].parent)
			times++;
		put_frame(text, frame, times);
	}
}

/* The number of stacks that have at least the minimum share; they are sorted by weight. */
static size_t count_large(const struct profile *profile, const struct heavy *stacks, size_t count)
{
	size_t large = 0;

	while (large < count && weight_percent(stacks[large].weight, profile->total) >= profile->least)
		large++;
	return large;
}

/* Sums up the small stacks; stacks beyond the row limit are only counted. */
static void put_other(struct text *text, const struct heavy *stacks, size_t count)
{
	struct node sum = {};

	for (size_t i = 0; i < count; i++) {
		sum.value = profile_sum(sum.value, text->profile->nodes[stacks[i].node].value);
		sum.before = profile_sum(sum.before, text->profile->nodes[stacks[i].node].before);
	}
	put_weight(text, &sum);
	fprintf(text->to, "%*s(other): %zu stacks of less than %g %%\n", INDENT, "", count, text->profile->least);
}

static void put_stacks(struct text *text)
{
	size_t count, large;
	_cleanup_free_ struct heavy *stacks = heaviest(text->profile, &count);

	if (!stacks) {
		text->err = -ENOMEM;
		return;
	}
	large = count_large(text->profile, stacks, count);
	for (size_t i = 0; i < large && i < text->rows; i++)
		put_stack(text, stacks[i].node);
	if (large > text->rows)
		fprintf(text->to, "\n%12s %zu more stacks\n", "", large - text->rows);
	if (count > large)
		put_other(text, stacks + large, count - large);
}

int profile_write_text(const struct profile *profile, FILE *to, size_t rows, size_t width)
{
	struct text text = { .profile = profile, .to = to, .rows = rows, .width = width };

	put_title(&text);
	put_functions(&text);
	put_stacks(&text);
	return text.err ? text.err : ferror(to) ? -EIO : 0;
}
