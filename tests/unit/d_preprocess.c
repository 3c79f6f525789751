// SPDX-License-Identifier: BSD-2-Clause
#include "d/syntax/preprocess.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "d_tree.h"

Test(d_preprocess, macros_are_expanded_and_lines_stay)
{
	char *args[] = { check_text("-DX=41") };
	struct preprocess how = { .args = args, .arg_count = 1 };
	const char *text = "#!/usr/sbin/dtrace -Cs\n#define Y(a) (a + 1)\n\nBEGIN { trace(Y(X)); }\nEND { x = }\n";
	char *output;
	size_t size;
	struct tree *tree;

	cr_assert(eq(int, preprocess(&how, text, strlen(text), &output, &size), 0));
	tree = tree_new_input((struct parse_input){ .text = output, .size = size });
	expect_text(tree_clauses(tree), ":::BEGIN {(call trace (+ 41 1))}");
	expect_text(tree_errors(tree), "D_SYNTAX:5");
	cr_expect(eq(ptr, check_pointer(tree->diag.first->file), NULL));
	tree_free(tree);
	free(output);
}

/* More than a pipe holds, both ways. */
Test(d_preprocess, long_programs_pass)
{
	struct preprocess how = { 0 };
	size_t size = 0, count = 40000, output_size;
	char *text = malloc(count * 16), *output;

	for (size_t i = 0; i < count; i++, size += 16)
		memcpy(text + size, "END { x = 123 }\n", 16);
	cr_assert(eq(int, preprocess(&how, text, size, &output, &output_size), 0));
	cr_expect(ge(sz, output_size, size));
	free(output);
	free(text);
}

Test(d_preprocess, failure_is_told)
{
	struct preprocess missing = { .program = "/nonexistent/cpp" }, fails = { .program = "false" };
	size_t size;
	char *output;

	cr_expect(eq(int, preprocess(&missing, "x", 1, &output, &size), -ENOENT));
	cr_expect(eq(int, preprocess(&fails, "x", 1, &output, &size), -EINVAL));
}

/* It reads its input, and then waits for what never comes. */
Test(d_preprocess, one_that_does_not_end_is_ended)
{
	char script[] = "/tmp/erlbpf-cpp.XXXXXX";
	static const char text[] = "#!/bin/sh\ncat\nsleep 1000\n";
	struct preprocess how = { .program = script, .limit_ms = 300 };
	int fd = mkstemp(script);
	size_t size;
	char *output;

	cr_assert(eq(long, (long)write(fd, text, sizeof(text) - 1), (long)sizeof(text) - 1));
	fchmod(fd, 0700);
	close(fd);
	cr_expect(eq(int, preprocess(&how, "x", 1, &output, &size), -ETIMEDOUT));
	unlink(script);
}
