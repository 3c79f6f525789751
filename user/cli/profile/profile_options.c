// SPDX-License-Identifier: BSD-2-Clause
#include "cli/profile/profile_options.h"

#include <stdio.h>

#include "base/embed.h"
#include "base/percent.h"
#include "cli/options/common_options.h"
#include "cli/options/option_text.h"

#define MOST_FREQUENCY 10000
#define FILES_ROWS 2 /* the last rows are only for show and diff */

static const char *take_overhead(void *data, const char *text)
{
	return percent_parse(text, &((struct profile_request *)data)->overhead)
		       ? NULL
		       : "expected a percentage, such as 5%, or 0 for no limit";
}

static const char *take_probe(void *data, const char *text)
{
	return profile_events_take_probe(&((struct profile_request *)data)->events, text);
}

static const char *take_min(void *data, const char *text)
{
	return profile_output_take_min(&((struct profile_request *)data)->output, text);
}

/* Patterns are compared with names as they are shown. */
static const char *take_function(void *data, const char *text)
{
	((struct profile_request *)data)->join.function = text;
	return NULL;
}

static const struct option_choice keys[] = {
	{ "pid", STACK_MERGE_PID, 0 },	 { "name", STACK_MERGE_NAME, 0 },	    { "mfa", STACK_MERGE_MFA, 0 },
	{ "node", STACK_MERGE_NODE, 0 }, { "scheduler", STACK_MERGE_SCHEDULER, 0 }, {},
};

#define TO(member) .to = offsetof(struct profile_request, member)
#define ONLY_RUN .commands = COMMAND_PROFILE
#define ONLY_FILES .commands = COMMAND_PROFILE_FILES
#define BOTH .commands = COMMAND_PROFILE | COMMAND_PROFILE_FILES

static const struct option_row rows[] = {
	{ "off-cpu", ONLY_RUN, .kind = OPTION_SET, TO(mode), .value = PROFILING_OFF },
	{ "wall", ONLY_RUN, .kind = OPTION_SET, TO(mode), .value = PROFILING_WALL },
	{ "max-overhead", 0, "PERCENT", ONLY_RUN, .take = take_overhead },
	{ "exact", ONLY_RUN, .kind = OPTION_FLAG, TO(is_exact) },
	{ "top", ONLY_RUN, .kind = OPTION_FLAG, TO(is_top) },
	{ "interval", 'i', "TIME", ONLY_RUN, .kind = OPTION_TIME, TO(interval_ns) },
	{ "event", 'e', "PROBE", ONLY_RUN, .take = take_probe },
	{ "weight", 0, "ARG", ONLY_RUN, .kind = OPTION_TEXT, TO(events.weight) },
	{ "gc", ONLY_RUN, .kind = OPTION_SET, TO(events.event), .value = EVENT_GC },
	{ "alloc", ONLY_RUN, .kind = OPTION_SET, TO(events.event), .value = EVENT_ALLOC },
	{ "send", ONLY_RUN, .kind = OPTION_SET, TO(events.event), .value = EVENT_SEND },
	{ "spawn", ONLY_RUN, .kind = OPTION_SET, TO(events.event), .value = EVENT_SPAWN },
	{ "reductions", ONLY_RUN, .kind = OPTION_SET, TO(events.event), .value = EVENT_REDUCTIONS },
	{ "locks", ONLY_RUN, .kind = OPTION_SET, TO(events.event), .value = EVENT_LOCKS },
	{ "frequency", 'F', "HZ", ONLY_RUN, .kind = OPTION_NUMBER, TO(frequency), .least = 1, .most = MOST_FREQUENCY },
	{ "by", 0, "KEY", ONLY_RUN, .kind = OPTION_CHOICE, TO(join.by), .choices = keys },
	{ "function", 0, "GLOB", ONLY_RUN, .take = take_function },
	{ "html", BOTH, .kind = OPTION_SET, TO(output.format), .value = PROFILE_HTML },
	{ "svg", BOTH, .kind = OPTION_SET, TO(output.format), .value = PROFILE_SVG },
	{ "folded", BOTH, .kind = OPTION_SET, TO(output.format), .value = PROFILE_FOLDED },
	{ "pprof", BOTH, .kind = OPTION_SET, TO(output.format), .value = PROFILE_PPROF },
	{ "speedscope", BOTH, .kind = OPTION_SET, TO(output.format), .value = PROFILE_SPEEDSCOPE },
	{ "json", 'j', BOTH, .kind = OPTION_SET, TO(output.format), .value = PROFILE_JSON },
	{ "min", 0, "PERCENT", BOTH, .take = take_min },
	{ "fold-recursion", BOTH, .kind = OPTION_FLAG, TO(output.folds_recursion) },
	{ "lines", BOTH, .kind = OPTION_FLAG, TO(output.shows_lines) },
	{ "collapsed-diff", ONLY_FILES, .kind = OPTION_SET, TO(output.format), .value = PROFILE_FOLDED },
	{ "absolute", ONLY_FILES, .kind = OPTION_FLAG, TO(is_absolute) },
};

EMBED("profile_options_text", "user/cli/profile/options.txt");
extern const char profile_options_text[];
extern const size_t profile_options_text_size;

#define ROWS (sizeof(rows) / sizeof(*rows))

const struct option_table profile_run_options = {
	.own = { rows, ROWS, profile_options_text, &profile_options_text_size },
	.common = &common_options,
	.command = COMMAND_PROFILE,
};

const struct option_table profile_files_options = {
	.own = { rows, ROWS, profile_options_text, &profile_options_text_size },
	.common = &common_options,
	.command = COMMAND_PROFILE_FILES,
};

const struct option_table profile_files_own_options = {
	.own = { rows + ROWS - FILES_ROWS, FILES_ROWS, profile_options_text, &profile_options_text_size },
	.command = COMMAND_PROFILE_FILES,
};

EMBED("profile_text", "user/cli/profile/profile.txt");
EMBED("profile_files_text", "user/cli/profile/profile_files.txt");
extern const char profile_text[], profile_files_text[];
extern const size_t profile_text_size, profile_files_text_size;

void profile_help(void)
{
	printf("%.*s", (int)profile_text_size, profile_text);
	option_print_help_of_command(stdout, &profile_run_options);
	puts("\nOptions of show and diff only:");
	option_print_help(stdout, &profile_files_own_options, NULL);
}

void profile_files_help(void)
{
	printf("%.*s", (int)profile_files_text_size, profile_files_text);
	option_print_help_of_command(stdout, &profile_files_options);
}
