/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions of x86-64, as Zydis reads them. What it does not know is refused: a probe that is not on the first
 * byte of an instruction breaks the process.
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

/* False: it is not known, or does not end within `left` bytes. */
bool x86_read(struct x86 *x, const unsigned char *code, size_t left);

/* Its length alone; 0 instead of false. */
size_t x86_size(const unsigned char *code, size_t left);

/* The place in struct pt_regs, in words, of the register that it is or is a part of; X86_NOWHERE: it is no general one.
 */
#define X86_PLACES 20
#define X86_NOWHERE 255
#define X86_RAX 10
#define X86_RSP 19
unsigned char x86_place(ZydisRegister part);

/* May it write the register of that place, or a part of it? */
bool x86_writes(const struct x86 *x, unsigned char place);

/* Does the kernel emulate it instead of executing it somewhere else? */
bool x86_is_emulated(const struct x86 *x);

/* Does the kernel refuse to put a probe on it? */
bool x86_is_refused(const struct x86 *x);

#endif
