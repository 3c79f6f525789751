// SPDX-License-Identifier: BSD-2-Clause
/* From the first word of the command line to what it asks for. */
#include "cli/command_main.h"

#include <stdio.h>
#include <string.h>

#include "base/io/stream.h"
#include "base/log.h"
#include "base/process/limits.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/dtrace/dtrace.h"
#include "cli/export.h"
#include "cli/help_json.h"
#include "cli/options/command.h"
#include "cli/options/output.h"
#include "cli/options/parse.h"
#include "cli/profile/profile.h"
#include "etf/port.h"
#include "run/loop.h"
#include "target/reader/reader.h"
#include "version.h"

static int print_version(void)
{
	static const char commit[] = ERLBPF_COMMIT; /* "" if it is not known */

	printf("erlbpf " ERLBPF_VERSION "%s%s%s\n", *commit ? " (" : "", commit, *commit ? ")" : "");
	return output_finish(EXIT_OK);
}

static int print_help(const char *command)
{
	return output_finish(command_help(command));
}

static int run_builtin(const struct other_command *builtin, const struct parsed *parsed)
{
	if (!strcmp(builtin->name, "list"))
		return command_list(&parsed->options, parsed->verbosity);
	if (!strcmp(builtin->name, "doctor"))
		return command_doctor(&parsed->options);
	if (!strcmp(builtin->name, "why"))
		return command_why(&parsed->options);
	return command_help(parsed->topic);
}

static bool is_word(const char *word, const char *letter, const char *name)
{
	return !strcmp(word, letter) || !strcmp(word, name);
}

/* The place of a command behind options that are not D's; 0: there is none. */
static int misplaced_command(int argc, char **argv)
{
	if (argc < 2 || argv[1][0] != '-' || dtrace_is_certain(argc, argv) || is_word(argv[1], "-h", "--help") ||
	    is_word(argv[1], "-V", "--version"))
		return 0;
	return command_place(argc, argv);
}

static int run_command(const char *name, int argc, char **argv)
{
	const struct other_command *builtin = builtin_find(name);
	const struct tool *tool = tool_find(name);
	struct parsed parsed;
	int code;

	if (!builtin && !tool)
		return command_unknown(name);
	if (!strcmp(name, "export"))
		return export_main(argc, argv);
	if (!strcmp(name, "profile"))
		return profile_main(argc, argv);
	if (!strcmp(name, "help") && argc > 1 && !strcmp(argv[1], "--complete"))
		return output_finish(completion_print(argv[2]));
	if (!strcmp(name, "help") && argc == 2 && !strcmp(argv[1], "--json"))
		return output_finish(help_json_print());
	code = parse_options(name, builtin ? builtin->takes : tool->takes | TAKES_ALL_OF_TOOLS, argc, argv, &parsed);
	if (code)
		return code;
	if (parsed.wants_help)
		return print_help(name);
	if (parsed.wants_version)
		return print_version();
	log_set_level((enum log_level)(parsed.verbosity > LOG_DEBUG ? LOG_DEBUG : parsed.verbosity));
	return builtin ? output_finish(run_builtin(builtin, &parsed)) : run_tool(tool, &parsed.options);
}

int command_main(int argc, char **argv)
{
	int place;

	if (stack_limit_raise())
		return EXIT_FAILED;
	stream_prepare();
	reader_start();
	files_limit_raise();
	place = misplaced_command(argc, argv);
	if (place)
		return command_misplaced(argc, argv, place);
	if (dtrace_is_meant(argc, argv))
		return dtrace_main(argc, argv);
	if (argc < 2)
		return output_finish(command_overview());
	if (is_word(argv[1], "-h", "--help"))
		return print_help(NULL);
	if (is_word(argv[1], "-V", "--version"))
		return print_version();
	if (argc == 2 && !strcmp(argv[1], "--etf"))
		return etf_main();
	return run_command(argv[1], argc - 1, argv + 1);
}
