/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operands: where an argument of a probe is found. SDT notes carry them as assembler text, and the
 * translators (probes/translators.def) are written the same way with a few words more.
 *
 *   argument := [-] SIZE @ operand          SIZE in bytes: 1, 2, 4, 8; "-": signed
 *   x86-64   := $NUMBER | %REG | [NUMBER] [SYMBOL] ( %REG [, %REG [, SCALE]] )
 *   aarch64  := NUMBER | REG | [ REG ] | [ REG , NUMBER ] | [ REG , #:lo12:SYMBOL ]
 *   ours     := $NUMBER
 *             | %a0 .. %a5     argument of the function, at its entry
 *             | %ret           value of the function, at its return
 *             | %s0 .. %s3     argument of the function as it was at the entry, at the return
 *             | FIELD ( ours )           load at the address in the register, plus the field
 *             | FIELD ( FIELD ( ours ) ) the same through a pointer, up to ERL_MAX_STEPS deep
 *             | & FIELD ( ours )         the address itself
 *             | small ( FIELD ( ours ) ) the number of the small integer that is loaded
 */
#ifndef ERLBPF_PROBE_OPERAND_H
#define ERLBPF_PROBE_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arch.h"
#include "erl.h"

#define OPERAND_ARGUMENTS 6 /* arguments of a C function that are in registers on every architecture */

struct operand_context {
	enum arch arch;
	bool is_translator; /* not from a note: enables the rule "ours" */
	uint64_t site;	    /* virtual address of the probe */
	/* Value of a symbol or field: 0, or -ENOENT. */
	int (*resolve)(void *data, const char *name, int64_t *value);
	void *data;
};

/* Parses the argument at *text and moves *text behind it. 0, or -EINVAL with the reason in *why (a string constant). */
int operand_parse(const struct operand_context *context, const char **text, struct erl_operand *op, const char **why);

/* Parses all arguments of a note. Their number, or -EINVAL. */
int operand_parse_all(const struct operand_context *context, const char *text, struct erl_operand ops[ERL_MAX_ARGS],
		      const char **why);

/* Formats it for listings; `buf` of at least 64 bytes. */
const char *operand_format(const struct erl_operand *op, enum arch arch, char *buf);

#endif
