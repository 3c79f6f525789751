/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which words of a stack of C are return addresses. bpf/profile.bpf.c takes all that may be, with their places; the
 * tables of the files say in which place the return address of each frame is.
 */
#ifndef ERLBPF_PROFILE_UNWIND_H
#define ERLBPF_PROFILE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/eh_frame.h"
#include "profile.h"
#include "target/image/image.h"

/* The table of a file, sorted: opaque. The image must outlive it. NULL: it has none, or there is no memory. */
struct unwind_table;

struct unwind_table *unwind_table_new(const struct image *image);
void unwind_table_free(struct unwind_table *table);

/* The function that the address of the file is in, as the table has it; NULL: none. */
const struct eh_frame_entry *unwind_table_at(const struct unwind_table *table, uint64_t address);

/* Whoever knows the files of a process. */
struct unwind_source {
	void *data;
	/* The table of the file that is mapped at an address, and the same address in the file; NULL: there is none. */
	const struct unwind_table *(*table)(void *data, uint64_t address, uint64_t *in_file);
	/* Is the instruction before the address a call, as far as can be seen? */
	bool (*is_return)(void *data, uint64_t address);
};

/*
 * The addresses where the frames of C go on, the newest first and without the JIT's, into `frames` of SAMPLE_NATIVE.
 * Returns how many.
 */
size_t unwind(const struct unwind_source *source, const struct sample_stack *stack, uint64_t *frames);

/* Do these bytes, which end before a return address, end with a call? */
#define UNWIND_CALL_BYTES 7
bool unwind_is_call(const unsigned char code[UNWIND_CALL_BYTES]);

#endif
