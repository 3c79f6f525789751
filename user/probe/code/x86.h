/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64 instructions, decoded by Zydis. Unknown instructions are refused: a probe that is not on the first byte of an
 * instruction crashes the process.
 */
#ifndef ERLBPF_PROBE_CODE_X86_H
#define ERLBPF_PROBE_CODE_X86_H

#include <stdbool.h>
#include <stddef.h>

#include <Zydis/Zydis.h>

struct x86 {
	ZydisDecodedInstruction info;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* False: unknown, or longer than `left` bytes. */
bool x86_read(struct x86 *x, const unsigned char *code, size_t left);

/* The length only; 0: as false. */
size_t x86_size(const unsigned char *code, size_t left);

/* The word in struct pt_regs of the register, or of the one that contains it; X86_NOWHERE: not a general register. */
#define X86_PLACES 20
#define X86_NOWHERE 255
#define X86_RAX 10
#define X86_RSP 19
unsigned char x86_place(ZydisRegister part);

/* May it write the register at that word, or a part of it? */
bool x86_writes(const struct x86 *x, unsigned char place);

/* Does the kernel emulate it, instead of executing a copy? */
bool x86_is_emulated(const struct x86 *x);

/* Does the kernel refuse to probe it? */
bool x86_is_refused(const struct x86 *x);

#endif
