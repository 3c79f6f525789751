// SPDX-License-Identifier: BSD-2-Clause
#include "cli/profile/profile_diff.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "cli/options/output.h"
#include "cli/profile/profile_options.h"
#include "flame/profile.h"
#include "options.h"

/* The words and the option that may stand first, and how many files follow. */
static const struct {
	const char *word;
	size_t files;
	bool is_option;
} ways[] = {
	{ "show", 1, false },
	{ "diff", 2, false },
	{ "--collapsed-diff", 2, true },
};

#define WAYS (sizeof(ways) / sizeof(*ways))

/* Which of these it is; WAYS: none. */
static size_t find_way(int argc, char **argv)
{
	size_t way = 0;

	while (way < WAYS && (argc < 2 || strcmp(argv[1], ways[way].word) != 0))
		way++;
	return way;
}

bool profile_diff_is_meant(int argc, char **argv)
{
	return find_way(argc, argv) < WAYS;
}

static const char *take_word(void *data, const char *word)
{
	struct profile_request *request = data;

	if (request->file_count == request->wanted)
		return "unexpected argument";
	request->files[request->file_count++] = word;
	return NULL;
}

/* An empty file is an empty profile; one of something else is none. */
static struct profile *refuse_other(struct profile *profile, const char *name, uint64_t bad_lines)
{
	if (!profile || !bad_lines || !profile_is_empty(profile))
		return profile;
	pr_err("%s is no profile: none of its lines is a stack with a weight, as --folded writes them", name);
	profile_free(profile);
	return NULL;
}

static struct profile *read_profile(const char *name)
{
	_cleanup_file_ FILE *file = strcmp(name, "-") != 0 ? fopen(name, "re") : fdopen(dup(STDIN_FILENO), "r");
	uint64_t bad_lines = 0;
	struct profile *profile = file ? profile_read_folded(file, name, &bad_lines) : NULL;

	if (!profile)
		pr_err("cannot read %s: %s", name, strerror(errno));
	profile = refuse_other(profile, name, bad_lines);
	if (profile && bad_lines)
		pr_warn("%s: %" PRIu64 " lines left out that are no stack with a weight", name, bad_lines);
	if (profile && profile_lost_weight(profile))
		pr_warn("%s: there is no memory for all stacks; a weight of %" PRIu64 " is left out", name,
			profile_lost_weight(profile));
	return profile;
}

static int show(const struct profile_request *request)
{
	struct profile *profile = read_profile(request->files[0]);
	int code = profile ? profile_output_show(&request->output, profile) : EXIT_FAILED;

	profile_free(profile);
	return code;
}

static struct profile *difference_of(const struct profile_request *request, const struct profile *before,
				     const struct profile *after)
{
	struct profile *difference = profile_difference(before, after, !request->is_absolute);

	if (!difference)
		pr_err("cannot compare %s with %s: %s", request->files[0], request->files[1], strerror(ENOMEM));
	return difference;
}

static int compare(const struct profile_request *request)
{
	struct profile *before = read_profile(request->files[0]);
	struct profile *after = before ? read_profile(request->files[1]) : NULL;
	struct profile *difference = after ? difference_of(request, before, after) : NULL;
	int code = difference ? profile_output_show(&request->output, difference) : EXIT_FAILED;

	profile_free(difference);
	profile_free(after);
	profile_free(before);
	return code;
}

/* Checks options against each other. NULL, or the error. */
static const char *problem_of(const struct profile_request *request)
{
	if (request->file_count < request->wanted)
		return request->wanted == 1 ? "expected a file" : "expected two files, BEFORE and AFTER";
	return request->is_absolute && request->wanted == 1 ? "--absolute is for two profiles" : NULL;
}

int profile_diff_main(int argc, char **argv)
{
	size_t way = find_way(argc, argv);
	struct profile_request request = { .wanted = ways[way].files };
	const struct option_reader reader = {
		.table = profile_files_options,
		.data = &request,
		.word = take_word,
		.called = "erlbpf: profile",
		.help = "erlbpf profile diff --help",
		.errors = stderr,
	};
	int skipped = !ways[way].is_option, code = option_read(&reader, argc - skipped, argv + skipped);

	if (code)
		return code;
	if (request.parsed.wants_help) {
		profile_files_help();
		return output_finish(EXIT_OK);
	}
	request.output.file = request.parsed.options.output;
	request.output.rows = request.parsed.options.rows;
	if (problem_of(&request))
		return option_problem(&reader, problem_of(&request));
	return request.wanted == 1 ? show(&request) : compare(&request);
}
