// SPDX-License-Identifier: BSD-2-Clause
/* erlbpf export: the agent's command line. */
#include "cli/export.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/percent.h"
#include "base/duration.h"
#include "base/embed.h"
#include "cli/commands.h"
#include "cli/options/common_options.h"
#include "cli/options/option_text.h"
#include "cli/options/output.h"
#include "cli/options/parse.h"
#include "cli/options/push_options.h"
#include "serve/agent/agent.h"

#define MOST_NAMES 1000
#define HELP_WIDTH 100

#define DEFAULT_OVERHEAD 5 /* percent of a CPU */

struct request {
	struct parsed parsed; /* first: common options */
	struct agent_options agent;
	const struct tool *tools[AGENT_MOST_TOOLS];
	char names[512];
	uint64_t series_names, series; /* of agent.names, agent.script_series */
	uint64_t profile_hz;	       /* of agent.profile_hz */
	char problem[512];
};

/* --- Handlers ---------------------------------------------------------------------------------------------- */

static const char *no_tool(struct request *request, const char *name)
{
	const char *nearest = tool_nearest(name);

	snprintf(request->problem, sizeof(request->problem), "there is no tool \"%.40s\"%s%s%s", name,
		 nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
	return request->problem;
}

void export_print_tools(FILE *to, int width)
{
	const char *last = NULL, *between = "";
	int column = 0;

	for (size_t i = 0; i < tools_count; i++)
		last = agent_exports(tools[i]) ? tools[i]->name : last;
	for (size_t i = 0; i < tools_count; i++) {
		const char *name = tools[i]->name;

		if (!agent_exports(tools[i]))
			continue;
		column += fprintf(to, "%s", *between && name == last ? " and" : between);
		if (width && column + (int)strlen(name) + (int)strlen(" and") > width)
			column = fprintf(to, "\n") - 1;
		else
			column += fprintf(to, "%s", *between ? " " : "");
		column += fprintf(to, "%s", name);
		between = ",";
	}
}

/* For shells: the same between blanks. */
static void offer_tools(FILE *to)
{
	fputs("words", to);
	for (size_t i = 0; i < tools_count; i++) {
		if (agent_exports(tools[i]))
			fprintf(to, " %s", tools[i]->name);
	}
}

static const char *cannot_be_exported(struct request *request, const char *name)
{
	FILE *to = fmemopen(request->problem, sizeof(request->problem), "w");

	if (!to)
		return option_no_memory;
	fprintf(to, "%s makes no metrics; those that do are ", name);
	export_print_tools(to, 0);
	fclose(to);
	return request->problem;
}

static const char *take_tools(void *data, const char *list)
{
	struct request *request = data;
	char *rest = request->names, *name;

	if (strlen(list) >= sizeof(request->names))
		return "the list is too long";
	strcpy(request->names, list);
	request->agent.tool_count = 0;
	while ((name = strsep(&rest, ","))) {
		const struct tool *tool = tool_find(name);

		if (!tool)
			return no_tool(request, name);
		if (!agent_exports(tool))
			return cannot_be_exported(request, name);
		if (request->agent.tool_count == AGENT_MOST_TOOLS)
			return "at most 32 tools can run at once";
		request->tools[request->agent.tool_count++] = tool;
	}
	request->agent.tools = request->tools;
	return NULL;
}

/* ADDRESS:PORT; whether there is such an address is found out when it is listened on. */
static const char *take_listen(void *data, const char *text)
{
	const char *port = strrchr(text, ':');
	char *end;

	if (!port || !isdigit((unsigned char)port[1]) || strtoul(port + 1, &end, 10) > 65535 || *end)
		return "expected ADDRESS:PORT, such as 127.0.0.1:9568 or :9568";
	((struct request *)data)->agent.listen = text;
	return NULL;
}

static const char *take_overhead(void *data, const char *text)
{
	double percent;

	if (!percent_parse(text, &percent))
		return "expected a percentage of one CPU, such as 2%";
	((struct request *)data)->agent.max_overhead = percent / 100;
	return NULL;
}

static const char *take_url(void *data, const char *text)
{
	return push_options_url(&((struct request *)data)->agent.push, text);
}

static const char *take_push_interval(void *data, const char *text)
{
	return push_options_interval(&((struct request *)data)->agent.push, text);
}

static const char *take_header(void *data, const char *text)
{
	return push_options_header(&((struct request *)data)->agent.push, text);
}

/* How many, or how they are written. */
static const char *take_names(void *data, const char *text)
{
	struct request *request = data;
	char *end;

	if (!strcmp(text, "erlang") || !strcmp(text, "elixir")) {
		request->parsed.options.names = !strcmp(text, "erlang") ? SPELLING_ERLANG : SPELLING_ELIXIR;
		return NULL;
	}
	request->series_names = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || request->series_names > MOST_NAMES)
		return "expected a number from 0 to 1000, or erlang or elixir";
	return NULL;
}

/* --- The table --------------------------------------------------------------------------------------------- */

#define TO(member) .to = offsetof(struct request, member)

static const struct option_row rows[] = {
	{ "listen", 0, "ADDRESS:PORT", .take = take_listen },
	{ "allow-host", 0, "NAME", .kind = OPTION_TEXT, TO(agent.allow_host) },
	{ "tools", 0, "NAME[,NAME]", .take = take_tools, .print_offer = offer_tools },
	{ "names", 0, "N", .take = take_names },
	{ "max-overhead", 0, "PERCENT", .take = take_overhead },
	{ "otlp", 0, "URL", .take = take_url },
	{ "otlp-interval", 0, "TIME", .take = take_push_interval },
	{ "otlp-header", 0, "NAME=VALUE", .take = take_header },
	{ "script", 0, "DIR", .kind = OPTION_TEXT, TO(agent.scripts), .offer = OFFER_FOLDERS },
	{ "series", 0, "N", .kind = OPTION_NUMBER, TO(series), .most = MOST_NAMES },
	{ "d-socket", 0, "PATH", .kind = OPTION_TEXT, TO(agent.users), .offer = OFFER_FILES },
	{ "findings", .kind = OPTION_FLAG, TO(agent.with_findings) },
	{ "profile-hz", 0, "HZ", .kind = OPTION_NUMBER, TO(profile_hz), .least = 1, .most = 99 },
	{ "no-seccomp", .kind = OPTION_FLAG, TO(agent.without_filter) },
};

EMBED("export_text", "user/cli/export.txt");
EMBED("export_options_text", "user/cli/export_options.txt");
extern const char export_text[], export_options_text[];
extern const size_t export_text_size, export_options_text_size;

const struct option_table export_options = {
	.own = { rows, sizeof(rows) / sizeof(*rows), export_options_text, &export_options_text_size },
	.common = &common_options,
	.command = COMMAND_EXPORT,
};

void export_help(void)
{
	printf("%.*s", (int)export_text_size, export_text);
	export_print_tools(stdout, HELP_WIDTH);
	puts("\n\nOptions:");
	option_print_help_of_command(stdout, &export_options);
}

/* --- The line as a whole ------------------------------------------------------------------------------------ */

static const char *finish(struct request *request)
{
	struct push_options *push = &request->agent.push;

	request->agent.run = request->parsed.options;
	request->agent.names = request->series_names;
	request->agent.script_series = request->series;
	request->agent.profile_hz = (unsigned int)request->profile_hz;
	if (push->url[0])
		return push_options_environment(push);
	return push->headers.count ? "--otlp-header needs --otlp" : NULL;
}

static int parse(struct request *request, int argc, char **argv)
{
	struct option_reader reader = {
		.table = export_options,
		.data = request,
		.called = "erlbpf: export",
		.help = "erlbpf help export",
		.errors = stderr,
	};
	const char *problem;
	int code;

	take_tools(request, AGENT_DEFAULT_TOOLS);
	code = option_read(&reader, argc, argv);
	if (code || request->parsed.wants_help)
		return code;
	problem = finish(request);
	return problem ? option_problem(&reader, problem) : EXIT_OK;
}

int export_main(int argc, char **argv)
{
	struct request request = {
		.parsed.options = { .glob = "*",
				    .select = { .pod_logs = POD_LOGS },
				    .names = common_options_names() },
		.agent = {
			.listen = AGENT_DEFAULT_LISTEN,
			.push = { .interval_ns = PUSH_DEFAULT_INTERVAL_S * NS_PER_S },
			.max_overhead = percent_of_environment("ERLBPF_MAX_OVERHEAD", DEFAULT_OVERHEAD) / 100,
		},
		.series_names = AGENT_DEFAULT_NAMES,
		.series = AGENT_DEFAULT_SERIES,
	};
	int code = parse(&request, argc, argv);

	parse_set_log_level(&request.parsed);
	if (code == EXIT_OK && request.parsed.wants_help) {
		export_help();
		code = output_finish(EXIT_OK);
	} else if (code == EXIT_OK)
		code = agent_run(&request.agent);
	pairs_free(&request.agent.push.headers);
	pairs_free(&request.agent.push.resource);
	return code;
}
