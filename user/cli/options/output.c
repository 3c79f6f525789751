// SPDX-License-Identifier: BSD-2-Clause
#include "cli/options/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/io/stream.h"
#include "base/log.h"
#include "options.h"

int output_check(FILE *to, const char *name, int code)
{
	int err = stream_flush(to);

	if (!err || err == -EPIPE)
		return code;
	pr_err("cannot write to %s: %s", name, strerror(-err));
	return EXIT_FAILED;
}

int output_finish(int code)
{
	return output_check(stdout, "standard output", code);
}
