/* SPDX-License-Identifier: BSD-2-Clause */
/* -C: a program through the C preprocessor, which is another program (-x cpp) and is started without a shell. */
#ifndef ERLBPF_D_SYNTAX_PREPROCESS_H
#define ERLBPF_D_SYNTAX_PREPROCESS_H

#include <stdbool.h>
#include <stddef.h>

struct preprocess {
	const char *program; /* NULL: "cpp" */
	char *const *args;   /* "-DX=1", "-H"... between the program and what we add; NULL: none */
	size_t arg_count;
	bool is_traditional;   /* -Xs: as before ISO C */
	unsigned int limit_ms; /* it is ended then; 0: after 30 seconds */
};

/*
 * The caller frees *output, which ends with a NUL behind its *output_size characters. What the preprocessor
 * has to say goes to standard error. 0; -errno if it cannot be started or read, -EINVAL if it
 * found errors, -ETIMEDOUT if it came to no end.
 */
int preprocess(const struct preprocess *how, const char *text, size_t size, char **output, size_t *output_size);

#endif
