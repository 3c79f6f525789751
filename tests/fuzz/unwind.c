// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as a table of frames (.eh_frame) and any words as a stack of C that was taken: which of them are return
 * addresses. Both are a node's. The inputs that are kept begin with tables of real VMs.
 */
#include <errno.h>

#include "fuzz.h"
#include "profile/unwind.h"

/* The input begins with it; its words follow, then the table. */
struct head {
	uint64_t ip, frame_pointer, table_address;
	uint16_t word_count, flags;
	uint32_t returns; /* bits of addresses that are behind a call */
};

static struct {
	struct head head;
	const uint8_t *table;
	size_t size;
	struct unwind_table *made;
	size_t asked;
} input;

/* In place of image.c. */
int image_section(const struct image *image, const char *name, size_t limit, struct image_section *section)
{
	(void)image;
	(void)name;
	if (input.size > limit)
		return -EFBIG;
	*section = (struct image_section){
		.data = input.table,
		.size = input.size,
		.address = input.head.table_address,
	};
	return 0;
}

static const struct unwind_table *find_table(void *data, uint64_t address, uint64_t *in_file)
{
	(void)data;
	input.asked++;
	*in_file = address;
	/* Some code has none. */
	return address >> 12 & 7 ? input.made : NULL;
}

static bool is_return(void *data, uint64_t address)
{
	(void)data;
	return input.head.returns >> (address & 31) & 1;
}

static void check_entries(void)
{
	struct eh_frame frames = { .table = input.table, .size = input.size, .address = input.head.table_address };
	struct eh_frame_entry entry;
	struct eh_frame_cfa start;
	size_t count = 0;

	while (eh_frame_next(&frames, &entry)) {
		must(++count <= input.size, "each entry has some bytes of the table");
		must(entry.code >= input.table && entry.code_size <= input.size &&
			     (size_t)(entry.code - input.table) <= input.size - entry.code_size,
		     "the instructions of an entry are in the table");
		must(!eh_frame_cfa(&entry, entry.start - 1, &start), "before an entry there is none of its frames");
		eh_frame_cfa(&entry, input.head.ip, &start);
		if (entry.size)
			eh_frame_cfa(&entry, entry.start + entry.size - 1, &start);
	}
}

static void check_found(uint64_t address)
{
	const struct eh_frame_entry *entry = unwind_table_at(input.made, address);

	must(!entry || address - entry->start < entry->size, "an entry that is found has the address");
}

static void check_walk(const struct sample_stack *stack)
{
	const struct unwind_source source = { .table = find_table, .is_return = is_return };
	uint64_t frames[SAMPLE_NATIVE];
	size_t count = unwind(&source, stack, frames), at = 0;

	must(count >= 1 && count <= SAMPLE_NATIVE, "a stack has a frame, and no more than fit");
	must(frames[0] == stack->ip, "the first frame is what ran");
	must(input.asked <= SAMPLE_NATIVE, "a table is asked for once per frame");
	for (size_t i = 1; i < count; i++) {
		while (at < stack->native_count && sample_word_value(stack->native[at]) - 1 != frames[i])
			at++;
		must(at++ < stack->native_count, "frames are words of the stack, in their order");
	}
}

static void fuzz(const uint8_t *data, size_t size)
{
	struct sample_stack stack = {};

	if (size < sizeof(input.head))
		return;
	memset(&input, 0, sizeof(input));
	memcpy(&input.head, data, sizeof(input.head));
	data += sizeof(input.head);
	size -= sizeof(input.head);
	stack.ip = input.head.ip;
	stack.frame_pointer = input.head.frame_pointer;
	stack.flags = input.head.flags;
	stack.native_count = input.head.word_count % (SAMPLE_NATIVE + 1);
	if (size < stack.native_count * sizeof(uint64_t))
		stack.native_count = (uint32_t)(size / sizeof(uint64_t));
	memcpy(stack.native, data, stack.native_count * sizeof(uint64_t));
	input.table = data + stack.native_count * sizeof(uint64_t);
	input.size = size - stack.native_count * sizeof(uint64_t);
	check_entries();
	input.made = unwind_table_new(NULL);
	if (!input.made)
		return;
	check_found(stack.ip);
	check_walk(&stack);
	unwind_table_free(input.made);
}
