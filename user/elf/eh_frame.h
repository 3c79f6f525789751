/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unwind table of a file (.eh_frame): where functions begin and end, and the frame address (CFA) at each
 * instruction. The table is hostile; reading stops at the first invalid entry.
 */
#ifndef ERLBPF_ELF_EH_FRAME_H
#define ERLBPF_ELF_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct eh_frame {
	const unsigned char *table;
	size_t size, at;  /* `at`: initially 0 */
	uint64_t address; /* of the table */
};

/* An entry (FDE): a function, or a part of one. The instructions point into the table. */
struct eh_frame_entry {
	uint64_t start, size;
	const unsigned char *initial, *code; /* `initial`, from the CIE, runs first */
	size_t initial_size, code_size;
	uint64_t code_align;
	int64_t data_align;
};

/* Reads the next entry. False: there are no more. */
bool eh_frame_next(struct eh_frame *frames, struct eh_frame_entry *entry);

/* A frame address (CFA): a register plus an offset. On x86-64, the return address is the word below it. */
struct eh_frame_cfa {
	uint64_t base; /* EH_FRAME_... */
	int64_t offset;
	int64_t saved_rbp; /* offset from the CFA at which the caller's rbp is saved; 0: in the register */
};

/* Register numbers of the x86-64 ABI. */
#define EH_FRAME_RBP 6
#define EH_FRAME_RSP 7

/* The frame address at an instruction of the entry. False: the rule is not supported. */
bool eh_frame_cfa(const struct eh_frame_entry *entry, uint64_t address, struct eh_frame_cfa *start);

#endif
