/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a class of sites does not need is left out of a program before the kernel sees it. The verifier would find the
 * same branches dead, since read-only data are constants to it; but it looks at all the instructions first, and removes
 * them one range after the other, which takes several times as long as to verify what is left.
 */
#ifndef ERLBPF_RUN_FOLD_H
#define ERLBPF_RUN_FOLD_H

#include <linux/bpf.h>
#include <stddef.h>

/* A map whose only value no one can change any more: its fd stands in the program. */
struct fold_constants {
	int fd;
	const unsigned char *data;
	size_t size;
};

/* A program, relocated: its functions follow it. All of it is changed in place, and gets shorter. */
struct fold_program {
	struct bpf_insn *insns;
	size_t count;
	unsigned char *functions;	/* records of struct bpf_func_info, or NULL */
	unsigned int function_count, function_size;
};

/* 0, or -ENOMEM or -EINVAL: then less is left out than could be, and the program is as right as before. */
int fold(struct fold_program *program, const struct fold_constants *constants, size_t count);

#endif
