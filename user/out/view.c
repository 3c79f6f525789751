// SPDX-License-Identifier: BSD-2-Clause
/*
 * The best rows are kept in a heap whose root is the worst of them, so that a table of a million rows is
 * gone through once and its texts are made only where they are compared.
 */
#include "out/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "node/memory/erlid.h"

struct view_entry {
	size_t row;
	struct value key;
	uint64_t weight, group;
	uint64_t first; /* of the first column, which decides between equal keys and weights */
	char *text;	/* owned; of columns of text */
};

struct heap {
	const struct view *view;
	enum column_type type;
	struct view_entry *entries;
	size_t count;
};

int view_find_column(const struct column *columns, size_t count, const char *name, size_t *column)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(columns[i].name, name)) {
			*column = i;
			return 0;
		}
	}
	return -ENOENT;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b ? 1 : 0;
}

/* Large numbers come first, and texts as in a dictionary. */
static int compare_keys(enum column_type type, const struct view_entry *a, const struct view_entry *b)
{
	switch (type) {
	case COLUMN_TEXT: return strcmp(a->text ? a->text : "", b->text ? b->text : "");
	case COLUMN_SIGNED:
		return a->key.signed_number < b->key.signed_number   ? 1
		       : a->key.signed_number > b->key.signed_number ? -1
								     : 0;
	case COLUMN_PID: return compare_numbers(a->key.number, b->key.number);
	default: return compare_numbers(b->key.number, a->key.number);
	}
}

/* Is `a` shown before `b`? What is not known comes last, whatever the order. */
static bool is_before(const struct heap *heap, const struct view_entry *a, const struct view_entry *b)
{
	int order;

	if (a->group != b->group)
		return a->group < b->group;
	if (a->key.is_null != b->key.is_null)
		return b->key.is_null;
	order = a->key.is_null ? 0 : compare_keys(heap->type, a, b);
	if (order)
		return heap->view->is_reversed ? order > 0 : order < 0;
	if (a->weight != b->weight)
		return a->weight > b->weight;
	return a->first != b->first ? a->first < b->first : a->row < b->row;
}

static void swap(struct view_entry *a, struct view_entry *b)
{
	struct view_entry c = *a;

	*a = *b;
	*b = c;
}

/* A parent is shown after its children. */
static void sift_down(const struct heap *heap, size_t at, size_t count)
{
	for (;;) {
		size_t last = at, left = 2 * at + 1;

		for (size_t child = left; child < left + 2 && child < count; child++) {
			if (is_before(heap, &heap->entries[last], &heap->entries[child]))
				last = child;
		}
		if (last == at)
			return;
		swap(&heap->entries[at], &heap->entries[last]);
		at = last;
	}
}

static void sift_up(const struct heap *heap, size_t at)
{
	while (at && is_before(heap, &heap->entries[(at - 1) / 2], &heap->entries[at])) {
		swap(&heap->entries[(at - 1) / 2], &heap->entries[at]);
		at = (at - 1) / 2;
	}
}

/* Takes the entry, with a text that is not yet its own. */
static int offer(struct heap *heap, struct view_entry *entry)
{
	bool is_full = heap->count == heap->view->rows;

	if (!is_full || is_before(heap, entry, &heap->entries[0])) {
		if (entry->text) {
			entry->text = strdup(entry->text);
			if (!entry->text)
				return -ENOMEM;
		}
		if (is_full) {
			free(heap->entries[0].text);
			heap->entries[0] = *entry;
			sift_down(heap, 0, heap->count);
		} else {
			heap->entries[heap->count] = *entry;
			sift_up(heap, heap->count++);
		}
	}
	return 0;
}

static bool matches(const struct view *view, const struct column *columns, size_t count,
		    const struct view_source *source, size_t row)
{
	char buf[VIEW_TEXT_SIZE], id[ERLID_SIZE];

	if (view->hides_idle && source->is_idle && source->is_idle(source->data, row))
		return false;
	if (!view->filter[0])
		return true;
	for (size_t i = 0; i < count; i++) {
		struct value value;

		if (columns[i].type != COLUMN_TEXT && columns[i].type != COLUMN_PID)
			continue;
		value = source->cell(source->data, row, i, buf);
		if (!value.is_null &&
		    strstr(columns[i].type == COLUMN_PID ? erlid_format(value.number, id) : value.text, view->filter))
			return true;
	}
	return false;
}

/* The last to show goes to the end, again and again. */
static void sort_down(struct heap *heap)
{
	for (size_t left = heap->count; left > 1; left--) {
		swap(&heap->entries[0], &heap->entries[left - 1]);
		sift_down(heap, 0, left - 1);
	}
}

static struct view_entry entry_of(const struct view *view, enum column_type type, const struct view_source *source,
				  size_t row, char buf[VIEW_TEXT_SIZE])
{
	struct view_entry entry = { .row = row };

	entry.weight = source->weight ? source->weight(source->data, row) : 0;
	entry.group = view->grouping && source->group ? source->group(source->data, row) : 0;
	entry.first = source->cell(source->data, row, 0, buf).number;
	entry.key = source->cell(source->data, row, view->sort, buf);
	if (type == COLUMN_TEXT && !entry.key.is_null)
		entry.text = (char *)entry.key.text;
	return entry;
}

long view_pick(const struct view *view, const struct column *columns, size_t count, const struct view_source *source,
	       size_t *picked, size_t *matching)
{
	struct heap heap = { .view = view, .type = columns[view->sort].type };
	_cleanup_free_ struct view_entry *entries = calloc(view->rows + 1, sizeof(*entries));
	int err = entries ? 0 : -ENOMEM;
	size_t found = 0;

	heap.entries = entries;
	for (size_t row = 0; !err && view->rows && row < source->rows; row++) {
		struct view_entry entry;
		char buf[VIEW_TEXT_SIZE];

		if (!source->has_row(source->data, row) || !matches(view, columns, count, source, row))
			continue;
		found++;
		entry = entry_of(view, heap.type, source, row, buf);
		err = offer(&heap, &entry);
	}
	sort_down(&heap);
	for (size_t i = 0; i < heap.count; i++) {
		picked[i] = entries[i].row;
		free(entries[i].text);
	}
	if (matching)
		*matching = found;
	return err ? err : (long)heap.count;
}

size_t view_first(const struct view *view, size_t matching)
{
	size_t last = matching > view->rows ? matching - view->rows : 0;

	return view->first < last ? view->first : last;
}
