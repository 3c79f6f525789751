// SPDX-License-Identifier: BSD-2-Clause
/*
 * All objects on a process's heaps that refer to memory outside are in one list, starting at off_heap.first: binaries,
 * funs, pids and ports of other nodes. Each begins with a header, and its third word is the next object.
 *
 * Source: struct erl_off_heap and struct erl_off_heap_header in erl_message.h, erl_term.h for the headers, in 25.2.3,
 * 27.3.4.1 and 29.1.1: ProcBin, which is called BinRef since OTP 27.
 */
#include "node/memory/off_heap.h"

#include "node/memory/fields.h"
#include "target/reader/procfs.h"
#include "term.h"

#define FIRST_BEFORE 8 /* off_heap.first is before off_heap.overhead */
#define MOST_OTHERS 2000
#define MOST_NEWEST 8
#define SIZE_OF_VALUE 24 /* in a Binary, in bytes, since OTP 27; ProcBin contains the size itself */

enum { HEADER, SIZE_25, VALUE_27 = 1, NEXT, VALUE_25, WORDS };

static bool is_binary(const struct target *target, uint64_t header)
{
	unsigned int subtag = TERM_HEADER_SUBTAG(header);

	return TERM_TAG(header) == TERM_TAG_HEADER &&
	       subtag == (target->vm->otp < 27 ? TERM_25_REFC_BINARY : TERM_27_BINARY_REFERENCE);
}

/* The newest object, or 0. */
static uint64_t first_of(const struct target *target, uint64_t process)
{
	int64_t offset;
	uint64_t at;

	if (field_offset(target->vm, "process.off_heap", &offset) ||
	    procfs_memory(target->pid, process + (uint64_t)offset - FIRST_BEFORE, &at, sizeof(at)))
		return 0;
	return at;
}

size_t off_heap_binaries(const struct target *target, uint64_t process, size_t most)
{
	uint64_t at = first_of(target, process);
	size_t count = 0, others = 0;

	while (at && count < most && others < MOST_OTHERS) {
		uint64_t words[WORDS];

		if (procfs_memory(target->pid, at, words, sizeof(words)))
			break;
		if (is_binary(target, words[HEADER]))
			count++;
		else
			others++;
		at = words[NEXT];
	}
	return count;
}

static struct off_heap_binary binary_of(const struct target *target, const uint64_t words[WORDS])
{
	struct off_heap_binary binary = { .value = words[VALUE_25], .size = words[SIZE_25] };

	if (target->vm->otp < 27)
		return binary;
	binary.value = words[VALUE_27];
	if (procfs_memory(target->pid, binary.value + SIZE_OF_VALUE, &binary.size, sizeof(binary.size)))
		binary.size = 0;
	return binary;
}

struct off_heap_binary off_heap_largest(const struct target *target, uint64_t process)
{
	struct off_heap_binary largest = {};
	uint64_t at = first_of(target, process);

	for (size_t i = 0; at && i < MOST_NEWEST; i++) {
		struct off_heap_binary binary;
		uint64_t words[WORDS];

		if (procfs_memory(target->pid, at, words, sizeof(words)))
			break;
		binary = is_binary(target, words[HEADER]) ? binary_of(target, words) : (struct off_heap_binary){};
		if (binary.size > largest.size)
			largest = binary;
		at = words[NEXT];
	}
	return largest;
}
