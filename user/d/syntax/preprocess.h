/* SPDX-License-Identifier: BSD-2-Clause */
/* -C: runs a program through the C preprocessor, an external program (-x cpp) that is started without a shell. */
#ifndef ERLBPF_D_SYNTAX_PREPROCESS_H
#define ERLBPF_D_SYNTAX_PREPROCESS_H

#include <stdbool.h>
#include <stddef.h>

struct preprocess {
	const char *program; /* NULL: "cpp" */
	char *const *args;   /* "-DX=1", "-H"..., before our own arguments; NULL: none */
	size_t arg_count;
	bool is_traditional;   /* -Xs: before ISO C */
	unsigned int limit_ms; /* time limit; 0: 30 seconds */
};

/*
 * The caller frees *output, which has *output_size characters and a NUL. Messages of the preprocessor go to standard
 * error. 0; -errno if it cannot be started or read, -EINVAL if it found errors, -ETIMEDOUT if it did not end.
 */
int preprocess(const struct preprocess *how, const char *text, size_t size, char **output, size_t *output_size);

#endif
