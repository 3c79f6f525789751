// SPDX-License-Identifier: BSD-2-Clause
#include "profile/unwind.h"

#include <stdlib.h>

#include "base/array.h"

#define MOST_TABLE (64u << 20) /* bytes; a BEAM's table has 0.5 MB */
#define MOST_ENTRIES (1u << 20)

struct unwind_table {
	struct eh_frame_entry *entries; /* by start */
	size_t count;
};

static int by_start(const void *a, const void *b)
{
	const struct eh_frame_entry *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

struct unwind_table *unwind_table_new(const struct image *image)
{
	struct unwind_table *table = calloc(1, sizeof(*table));
	struct image_section section;
	struct eh_frame frames;
	struct eh_frame_entry entry;

	if (!table || image_section(image, ".eh_frame", MOST_TABLE, &section)) {
		free(table);
		return NULL;
	}
	frames = (struct eh_frame){ .table = section.data, .size = section.size, .address = section.address };
	while (table->count < MOST_ENTRIES && eh_frame_next(&frames, &entry)) {
		if (!array_has_room(table->entries, table->count))
			break;
		table->entries[table->count++] = entry;
	}
	if (table->count)
		qsort(table->entries, table->count, sizeof(*table->entries), by_start);
	return table;
}

void unwind_table_free(struct unwind_table *table)
{
	if (!table)
		return;
	free(table->entries);
	free(table);
}

const struct eh_frame_entry *unwind_table_at(const struct unwind_table *table, uint64_t address)
{
	const struct eh_frame_entry *entry = array_last_upto(table->entries, table->count, start, address);

	return entry && address - entry->start < entry->size ? entry : NULL;
}

bool unwind_is_call(const unsigned char code[UNWIND_CALL_BYTES])
{
	/* call DISTANCE; call *REGISTER, *DISTANCE(REGISTER), *DISTANCE(%rip): two, three, six or seven bytes. */
	static const size_t indirect[] = { 2, 3, 4, 6, 7 };

	if (code[UNWIND_CALL_BYTES - 5] == 0xe8)
		return true;
	for (size_t i = 0; i < sizeof(indirect) / sizeof(*indirect); i++) {
		const unsigned char *at = code + UNWIND_CALL_BYTES - indirect[i];

		if (at[0] == 0xff && (at[1] & 0x38) == 0x10)
			return true;
	}
	return false;
}

/* Position in the stack. Places are words above the sampled stack pointer. */
struct walk {
	const struct unwind_source *source;
	const struct sample_stack *stack;
	uint64_t ip;
	int64_t sp, frame_pointer;
	bool has_frame_pointer;
	size_t next; /* index of the first recorded word that is not below `sp` */
};

/* The start of the frame by the table: the place after the return address. False: cannot be followed. */
static bool find_start(const struct walk *w, struct eh_frame_cfa *start, int64_t *place)
{
	uint64_t in_file;
	const struct unwind_table *table = w->source->table(w->source->data, w->ip, &in_file);
	const struct eh_frame_entry *entry = table ? unwind_table_at(table, in_file) : NULL;

	if (!entry || !eh_frame_cfa(entry, in_file, start) || start->offset % 8 ||
	    start->offset > SAMPLE_NATIVE_WORDS * 8 || start->offset < 8)
		return false;
	if (start->base == EH_FRAME_RSP)
		*place = w->sp + start->offset / 8;
	else if (start->base == EH_FRAME_RBP && w->has_frame_pointer)
		*place = w->frame_pointer + start->offset / 8;
	else
		return false;
	return true;
}

static bool is_last(const struct walk *w, size_t i)
{
	return w->stack->flags & SAMPLE_FROM_MADE && i + 1 == w->stack->native_count;
}

/* The index of the recorded word at that place, or the number of words. */
static size_t word_at(const struct walk *w, int64_t place)
{
	for (size_t i = w->next; i < w->stack->native_count; i++) {
		if ((int64_t)sample_word_at(w->stack->native[i]) == place)
			return i;
	}
	return w->stack->native_count;
}

/* Without a table: takes the next word that looks like a return address. */
static size_t guess(const struct walk *w)
{
	for (size_t i = w->next; i < w->stack->native_count; i++) {
		if (is_last(w, i) || w->source->is_return(w->source->data, sample_word_value(w->stack->native[i])))
			return i;
	}
	return w->stack->native_count;
}

/* The caller's frame pointer, if valid. */
static void restore_frame_pointer(struct walk *w, int64_t saved_at)
{
	size_t i = word_at(w, saved_at);
	uint64_t value = i < w->stack->native_count ? sample_word_value(w->stack->native[i]) : UINT64_MAX;

	w->has_frame_pointer = value < SAMPLE_NATIVE_WORDS;
	w->frame_pointer = (int64_t)value;
}

/* Moves to the caller. False: none, or JIT code. */
static bool step(struct walk *w)
{
	struct eh_frame_cfa start;
	int64_t place;
	bool is_known = find_start(w, &start, &place);
	size_t i = is_known ? word_at(w, place - 1) : guess(w);

	if (i >= w->stack->native_count || is_last(w, i))
		return false;
	if (!is_known)
		w->has_frame_pointer = false;
	else if (start.saved_rbp)
		restore_frame_pointer(w, place + start.saved_rbp / 8);
	w->next = i + 1;
	w->sp = (int64_t)sample_word_at(w->stack->native[i]) + 1;
	/* Looks up the call before a return address: it may be the last instruction of its function. */
	w->ip = sample_word_value(w->stack->native[i]) - 1;
	return true;
}

size_t unwind(const struct unwind_source *source, const struct sample_stack *stack, uint64_t *frames)
{
	struct walk w = {
		.source = source,
		.stack = stack,
		.ip = stack->ip,
		.frame_pointer = (int64_t)stack->frame_pointer,
		.has_frame_pointer = stack->frame_pointer,
	};
	size_t count = 0;

	do
		frames[count++] = w.ip;
	while (count < SAMPLE_NATIVE && step(&w));
	return count;
}
