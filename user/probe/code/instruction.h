/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the kernel can place a probe, and what a hit costs, on all architectures. */
#ifndef ERLBPF_PROBE_CODE_INSTRUCTION_H
#define ERLBPF_PROBE_CODE_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/image/image.h"

#define INSTRUCTION_LONGEST 15

/* Does an instruction start at that offset of a function, decoding from its first byte? */
bool instruction_begins(const struct image *image, uint64_t address, uint64_t size, uint64_t offset);

/*
 * Visits the offset of each instruction of a function, decoding from its first byte, until the callback fails. 0 or
 * -errno; -E2BIG if the function is too long.
 */
int instruction_each(const struct image *image, uint64_t address, uint64_t size,
		     int (*visit)(void *data, uint64_t offset), void *data);

/* Reads the bytes of the instruction at that address, as far as available. Returns their number. */
size_t instruction_read_code(const struct image *image, uint64_t address, unsigned char code[INSTRUCTION_LONGEST]);

/*
 * May a probe be placed on this instruction? Not if the kernel refuses it, and not on a five-byte nop: Linux 6.18 to
 * 7.2 replaces it with a call, and some of these versions leave the call behind (user/probe/sites/note.c).
 */
bool instruction_can_be_probed(const struct image *image, uint64_t address);

/* Linux 6.18 and later replaces it with a call. */
bool instruction_is_nop5(const unsigned char *code, size_t size);

/* Does the kernel single-step it, which makes a hit slow? True for unknown instructions. */
bool instruction_is_stepped(enum arch arch, const unsigned char *code, size_t left);

#endif
