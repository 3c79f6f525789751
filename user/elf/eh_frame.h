/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table with which a process unwinds its stack (.eh_frame): where functions begin and end, and where the frame of
 * each begins while one of its instructions runs. The table is hostile; what makes no sense ends it.
 */
#ifndef ERLBPF_ELF_EH_FRAME_H
#define ERLBPF_ELF_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct eh_frame {
	const unsigned char *table;
	size_t size, at;  /* `at`: 0 at first */
	uint64_t address; /* of the table */
};

/* Of a function, or of a part of one. The instructions are in the table. */
struct eh_frame_entry {
	uint64_t start, size;
	const unsigned char *initial, *code; /* those of its kind come first */
	size_t initial_size, code_size;
	uint64_t code_align;
	int64_t data_align;
};

/* The next one. False: there is none. */
bool eh_frame_next(struct eh_frame *frames, struct eh_frame_entry *entry);

/* A frame begins at a register and so many bytes. The return address is right below that (x86-64). */
struct eh_frame_start {
	uint64_t base; /* EH_FRAME_... */
	int64_t offset;
	int64_t saved_rbp; /* where the caller's rbp is, from the frame's beginning; 0: in the register */
};

/* Numbers of registers, as the ABI of x86-64 has them. */
#define EH_FRAME_RBP 6
#define EH_FRAME_RSP 7

/* Where it begins at an instruction of the entry. False: the table says it in a way that is not read here. */
bool eh_frame_start(const struct eh_frame_entry *entry, uint64_t address, struct eh_frame_start *start);

#endif
