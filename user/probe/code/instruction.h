/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the kernel can put a probe into code, and what a hit costs there, whatever the architecture. */
#ifndef ERLBPF_PROBE_CODE_INSTRUCTION_H
#define ERLBPF_PROBE_CODE_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/image/image.h"

#define INSTRUCTION_LONGEST 15

/* Does an instruction begin at that offset of a function, if one follows another from its first byte on? */
bool instruction_begins(const struct image *image, uint64_t address, uint64_t size, uint64_t offset);

/*
 * Visits the offset of every instruction of a function, as far as one follows another, until it gives an error. 0 or
 * -errno; -E2BIG if the function is too long.
 */
int instruction_each(const struct image *image, uint64_t address, uint64_t size,
		     int (*visit)(void *data, uint64_t offset), void *data);

/* What there is of the instruction at that address; how many bytes. */
size_t instruction_read_code(const struct image *image, uint64_t address, unsigned char code[INSTRUCTION_LONGEST]);

/*
 * May a probe be put on the instruction at that address? Not if the kernel refuses it, and not on a five-byte nop:
 * Linux 6.18 to 7.2 turns that into a call, and some of these versions leave the call behind (user/probe/sites/note.c).
 */
bool instruction_can_be_probed(const struct image *image, uint64_t address);

/* Linux 6.18 and later makes a call of a probe on one. */
bool instruction_is_nop5(const unsigned char *code, size_t size);

/* Does the kernel have to single-step it, which makes a hit slow? So does what is not known. */
bool instruction_is_stepped(enum arch arch, const unsigned char *code, size_t left);

#endif
