// SPDX-License-Identifier: BSD-2-Clause
#include "cli/profile_diff.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "cli/option_text.h"
#include "cli/output.h"
#include "cli/profile_formats.h"
#include "flame/profile.h"
#include "options.h"

struct request {
	struct profile_output output;
	const char *before, *after; /* files; "-" is standard input */
	bool is_absolute;
	bool wants_help;
};

static const struct option_row rows[] = {
	{ .name = "collapsed-diff",
	  .help = "the same as --folded: two weights per line, before and after",
	  .kind = OPTION_SET,
	  .to = offsetof(struct request, output.format),
	  .value = PROFILE_FOLDED },
	{ .name = "absolute",
	  .help = "compare weights as they are, not shares of the total",
	  .kind = OPTION_FLAG,
	  .to = offsetof(struct request, is_absolute) },
	PROFILE_FORMAT_ROWS(struct request, output),
	{ .name = "help",
	  .letter = 'h',
	  .help = "print this help",
	  .kind = OPTION_FLAG,
	  .to = offsetof(struct request, wants_help),
	  .is_last = true },
};

const struct option_table profile_diff_options = { .rows = rows, .count = sizeof(rows) / sizeof(*rows) };

bool profile_diff_is_meant(int argc, char **argv)
{
	return argc > 1 && (!strcmp(argv[1], "diff") || !strcmp(argv[1], "--collapsed-diff"));
}

void profile_diff_help(void)
{
	fputs("usage: erlbpf profile diff [OPTIONS] BEFORE AFTER\n"
	      "\n"
	      "Compares two profiles: files of folded lines, as `erlbpf profile --folded` and other profilers write\n"
	      "them; - is standard input. Each stack's share of the total is compared, so the runs may differ in\n"
	      "length.\n"
	      "\n"
	      "Options:\n",
	      stdout);
	option_print_help(stdout, &profile_diff_options);
}

static const char *take_word(void *data, const char *word)
{
	struct request *request = data;

	if (request->after)
		return "expected two files";
	*(request->before ? &request->after : &request->before) = word;
	return NULL;
}

static struct profile *read_profile(const char *name)
{
	_cleanup_file_ FILE *file = strcmp(name, "-") ? fopen(name, "re") : fdopen(dup(STDIN_FILENO), "r");
	uint64_t bad_lines = 0;
	struct profile *profile = file ? profile_read_folded(file, name, &bad_lines) : NULL;

	if (!profile)
		pr_err("cannot read %s: %s", name, strerror(errno));
	else if (bad_lines)
		pr_warn("%s: %" PRIu64 " lines left out that are no stack with a weight", name, bad_lines);
	return profile;
}

static struct profile *compare(const struct request *request, const struct profile *before, const struct profile *after)
{
	struct profile *difference = profile_difference(before, after, !request->is_absolute);

	if (!difference)
		pr_err("cannot compare %s with %s: %s", request->before, request->after, strerror(errno));
	return difference;
}

static int run(const struct request *request)
{
	struct profile *before = read_profile(request->before);
	struct profile *after = before ? read_profile(request->after) : NULL;
	struct profile *difference = after ? compare(request, before, after) : NULL;
	int code = difference ? profile_output_write(&request->output, difference) : EXIT_FAILED;

	profile_free(difference);
	profile_free(after);
	profile_free(before);
	return code;
}

int profile_diff_main(int argc, char **argv)
{
	struct request request = { 0 };
	const struct option_reader reader = {
		.table = profile_diff_options,
		.data = &request,
		.word = take_word,
		.called = "erlbpf: profile diff",
		.help = "erlbpf profile diff --help",
		.errors = stderr,
	};
	/* "diff" is the command's name, --collapsed-diff an option. */
	int skipped = !strcmp(argv[1], "diff"), code = option_read(&reader, argc - skipped, argv + skipped);

	if (code)
		return code;
	if (request.wants_help) {
		profile_diff_help();
		return output_finish(EXIT_OK);
	}
	return request.after ? run(&request) : option_problem(&reader, "expected two files, BEFORE and AFTER");
}
