/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwinds C stacks. bpf/profile.bpf.c records all words that may be return addresses, with their places. The unwind
 * tables of the files tell which ones are.
 */
#ifndef ERLBPF_PROFILE_UNWIND_H
#define ERLBPF_PROFILE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/eh_frame.h"
#include "profile.h"
#include "target/image/image.h"

/* The sorted unwind table of a file. The image is borrowed. NULL: no table, or out of memory. */
struct unwind_table;

struct unwind_table *unwind_table_new(const struct image *image);
void unwind_table_free(struct unwind_table *table);

/* The function of a file address by the table; NULL: none. */
const struct eh_frame_entry *unwind_table_at(const struct unwind_table *table, uint64_t address);

/* Finds the tables of a process's files. */
struct unwind_source {
	void *data;
	/* The table of the file mapped at an address, and the address within the file; NULL: none. */
	const struct unwind_table *(*table)(void *data, uint64_t address, uint64_t *in_file);
	/* True if the instruction before the address may be a call. */
	bool (*is_return)(void *data, uint64_t address);
};

/*
 * Writes the return addresses of C frames, newest first, without JIT code, to `frames` (SAMPLE_NATIVE). Returns how
 * many.
 */
size_t unwind(const struct unwind_source *source, const struct sample_stack *stack, uint64_t *frames);

/* True if these bytes, up to a return address, end with a call. */
#define UNWIND_CALL_BYTES 7
bool unwind_is_call(const unsigned char code[UNWIND_CALL_BYTES]);

#endif
