/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lengths of x86-64 instructions, of all that compilers write for user space; operands do not matter. What is
 * not known is refused: a probe that is not on the first byte of an instruction breaks the process.
 */
#ifndef ERLBPF_PROBE_INSTRUCTION_H
#define ERLBPF_PROBE_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/image.h"

/* 0: it is not known, or does not end within `left` bytes. */
size_t instruction_size(const unsigned char *code, size_t left);

/* Does an instruction begin at that offset of a function, if one follows another from its first byte on? */
bool instruction_begins(const struct image *image, uint64_t address, uint64_t size, uint64_t offset);

#endif
