// SPDX-License-Identifier: BSD-2-Clause
#include "cli/profile/profile_formats.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/percent.h"
#include "cli/options/output.h"
#include "options.h"

#define DEFAULT_ROWS 20

/* 0 where it is no terminal: lines are whole then. */
static size_t width_of(FILE *to)
{
	struct winsize size = { 0 };

	return ioctl(fileno(to), TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

static int write_as(const struct profile_output *output, const struct profile *profile, FILE *to)
{
	return profile_write(profile, output->format, to, output->rows ? output->rows : DEFAULT_ROWS, width_of(to));
}

/* The profile as it is to be shown, which the caller owns. NULL: memory is short. */
static struct profile *prepare(const struct profile_output *output, const struct profile *profile)
{
	bool has_lines = output->shows_lines || profile_format_has_lines(output->format);
	struct profile *prepared = profile_copy(profile, has_lines);

	if (prepared && output->folds_recursion) {
		struct profile *folded = profile_fold_recursion(prepared);

		profile_free(prepared);
		prepared = folded;
	}
	if (prepared)
		profile_least(prepared, output->least);
	return prepared;
}

const char *profile_output_take_min(struct profile_output *output, const char *text)
{
	return percent_parse(text, &output->least) && output->least <= 100 ? NULL : "expected a percentage, such as 1%";
}

static int failed(const char *name, int err)
{
	pr_err("cannot write to %s: %s", name, strerror(-err));
	return EXIT_FAILED;
}

static int write_to(const struct profile_output *output, const struct profile *profile, FILE *to, const char *name)
{
	struct profile *prepared = prepare(output, profile);
	int err = prepared ? write_as(output, prepared, to) : -ENOMEM;

	profile_free(prepared);
	/* Why a file cannot be written is known when it is flushed. */
	return err && err != -EIO ? failed(name, err) : output_check(to, name, EXIT_OK);
}

int profile_output_open(struct profile_output *output)
{
	if (!output->file && output->format == PROFILE_PPROF && isatty(STDOUT_FILENO)) {
		pr_err("pprof's format is binary, and standard output is a terminal; use -o FILE");
		return EXIT_USAGE;
	}
	output->to = output->file ? fopen(output->file, "we") : stdout;
	return output->to ? EXIT_OK : failed(output->file, -errno);
}

void profile_output_close(struct profile_output *output)
{
	if (output->to && output->to != stdout)
		fclose(output->to);
	output->to = NULL;
}

int profile_output_write(const struct profile_output *output, const struct profile *profile)
{
	return write_to(output, profile, output->to, output->file ? output->file : "standard output");
}

int profile_output_show(const struct profile_output *output, const struct profile *profile)
{
	struct profile_output opened = *output;
	int code = profile_output_open(&opened);

	if (code == EXIT_OK)
		code = profile_output_write(&opened, profile);
	profile_output_close(&opened);
	return code;
}
