/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that is made shorter before the kernel sees it. The verifier would find out as much about what a class of
 * sites does not need, since read-only data are constants to it; but it looks at all the instructions first, removes
 * them one range after the other, which takes several times as long as to verify what is left, and leaves in place
 * what only calculates a value that nobody wants.
 */
#ifndef ERLBPF_LOAD_OPTIMISER_CODE_H
#define ERLBPF_LOAD_OPTIMISER_CODE_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>

/* A map whose only value no one can change any more: its fd stands in the program. */
struct code_constants {
	int fd;
	const unsigned char *data;
	size_t size;
};

/* A program, relocated: its functions follow it. All of it is changed in place, and gets shorter. */
struct code {
	struct bpf_insn *insns;
	size_t count;
	unsigned char *functions; /* records of struct bpf_func_info, or NULL */
	unsigned int function_count, function_size;
};

/*
 * All give 0, or -ENOMEM or -EINVAL: then less is left out than could be, and the program is as right as before.
 * Where constants lead is decided, and what they make is written as a number.
 */
int code_fold(struct code *code, const struct code_constants *constants, size_t count);

/* What makes a value that nobody reads is left out. */
int code_drop_unused(struct code *code);

/*
 * Each loop is closed by a branch, as Linux 6.1 wants it. The program gets longer, but not than `room`: then
 * -ENOSPC.
 */
int code_close_loops(struct code *code, size_t room);

/* Do its branches and calls lead to instructions of it? If not, or without memory, none of these changes it. */
bool code_is_sound(const struct code *code);

/*
 * For those two: what is not kept is left out, and so are branches over nothing; distances are written anew. There is a
 * bool for each instruction, false for the second halves of wide ones.
 */
int code_keep(struct code *code, bool *is_kept);

#endif
