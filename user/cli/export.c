// SPDX-License-Identifier: BSD-2-Clause
/* erlbpf export: the agent's command line. */
#include "cli/export.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/percent.h"
#include "base/duration.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/options/option_text.h"
#include "cli/options/output.h"
#include "cli/options/parse.h"
#include "cli/options/push_options.h"
#include "cli/options/select_options.h"
#include "serve/agent/agent.h"

#define MOST_NAMES 1000
#define HELP_WIDTH 100

/* What the command line asks for. */
#define DEFAULT_OVERHEAD 5 /* percent of a CPU */

struct request {
	struct agent_options agent;
	const struct tool *tools[AGENT_MOST_TOOLS];
	char names[512];
	uint64_t series_names, series; /* of agent.names, agent.script_series */
	uint64_t profile_hz;	       /* of agent.profile_hz */
	int verbosity;
	bool wants_help;
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
		request->agent.run.names = !strcmp(text, "erlang") ? SPELLING_ERLANG : SPELLING_ELIXIR;
		return NULL;
	}
	request->series_names = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || request->series_names > MOST_NAMES)
		return "expected a number from 0 to 1000, or erlang or elixir";
	return NULL;
}

static const char *take_user(void *data, const char *text)
{
	return select_take_user(&((struct request *)data)->agent.run.select, text);
}

/* --- The table --------------------------------------------------------------------------------------------- */

#define TO(member) .to = offsetof(struct request, member)

static const struct option_row rows[] = {
	{ .name = "listen",
	  .argument = "ADDRESS:PORT",
	  .help = "serve HTTP on this address (default: " AGENT_DEFAULT_LISTEN ")",
	  .manual = "Serve HTTP on this address and port. _:9568_ means port 9568 on all addresses. Default:\n"
		    "_" AGENT_DEFAULT_LISTEN "_.",
	  .kind = OPTION_CALL,
	  .take = take_listen },
	{ .name = "allow-host",
	  .argument = "NAME",
	  .help = "on a loopback address, answer to this name too",
	  .manual =
		  "On a loopback address requests are answered whose header Host is localhost, 127.0.0.1 or [::1], so "
		  "that a page\n"
		  "in a browser of this machine cannot read the metrics under a name of its own. _NAME_ is allowed "
		  "too, as behind\n"
		  "a reverse proxy that keeps the header.",
	  .kind = OPTION_TEXT,
	  TO(agent.allow_host) },
	{ .name = "tools",
	  .argument = "NAME[,NAME]",
	  .help = "run these tools (default: " AGENT_DEFAULT_TOOLS ")",
	  .manual = "Run these tools of *erlbpf*(8). Default: " AGENT_DEFAULT_TOOLS ". *METRICS* lists\n"
		    "those that can be exported.",
	  .kind = OPTION_CALL,
	  .take = take_tools,
	  .print_offer = offer_tools },
	SELECT_ROWS(0, struct request, agent.run.select, take_user),
	{ .name = "names",
	  .argument = "N",
	  .help = "number of process names with their own series, per metric and node (default: 20); or erlang",
	  .manual = "How many process names have their own series, per metric and node; all others are counted\n"
		    "together as \"other\". From 0 to 1000. Default: 20.\n"
		    "_erlang_ or _elixir_ instead of a number is how names of Elixir are written in labels:\n"
		    "*'Elixir.Shop.Cart':add/2* or, which is the default, *Shop.Cart.add/2*. The option may be given\n"
		    "twice, with one of them and with a number.",
	  .kind = OPTION_CALL,
	  .take = take_names },
	{ .name = "max-overhead",
	  .argument = "PERCENT",
	  .help = "limit for the cost of tools for a node, in percent of one CPU, such as 2%",
	  .manual =
		  "Limit for the cost of the tools for a node, in percent of one CPU, such as _2%_. Above it, process\n"
		  "names are left out, if that may be enough. Else the tools that cost most measure only part of the\n"
		  "time, at random: what they count is scaled to the whole time, and *erlbpf_window_ratio* says how\n"
		  "much of it they measured. A D script is turned off instead, and so is a tool whose windows cost "
		  "too\n"
		  "much. All come back when the load falls. Default: 5%. 0: no limit.",
	  .kind = OPTION_CALL,
	  .take = take_overhead },
	{ .name = "otlp",
	  .argument = "URL",
	  .help = "push to an OTLP receiver over HTTP, such as http://collector:4318",
	  .manual = "Push the metrics to an OTLP receiver over HTTP, such as _http://collector:4318_. A URL without "
		    "a path\n"
		    "gets /v1/metrics. With *--profile-hz*, profiles are pushed too. See *PUSHING*.",
	  .kind = OPTION_CALL,
	  .take = take_url },
	{ .name = "otlp-interval",
	  .argument = "TIME",
	  .help = "push at this interval, 1s to 1h (default: 15s)",
	  .kind = OPTION_CALL,
	  .take = take_push_interval },
	{ .name = "otlp-header",
	  .argument = "NAME=VALUE",
	  .help = "send this header when pushing; may be repeated",
	  .manual = "Send this header with each push; may be repeated. For secrets use *OTEL_EXPORTER_OTLP_HEADERS*, "
		    "see\n"
		    "*ENVIRONMENT*: other users can read a command line.",
	  .kind = OPTION_CALL,
	  .take = take_header },
	{ .name = "script",
	  .argument = "DIR",
	  .help = "run the D scripts DIR/*.d: their aggregations become metrics",
	  .manual = "Run each D script _DIR_/\\*.d while its file exists; its aggregations become metrics. See "
		    "*SCRIPTS*.",
	  .kind = OPTION_TEXT,
	  TO(agent.scripts),
	  .offer = OFFER_FOLDERS },
	{ .name = "series",
	  .argument = "N",
	  .help = "series per aggregation of a script (default: 100)",
	  .manual = "How many keys of each aggregation of a script have their own series. From 0 to 1000. Default: "
		    "100.",
	  .kind = OPTION_NUMBER,
	  TO(series),
	  .most = MOST_NAMES },
	{ .name = "d-socket",
	  .argument = "PATH",
	  .help = "let users of this machine run D on their own nodes, by a socket with this name",
	  .manual = "Listen at a Unix socket with this path, such as _/run/erlbpf/d.sock_, where *erlbpf --etf* looks "
		    "for it, "
		    "so that\n"
		    "users without rights can run D from Erlang on nodes of their own. See *USERS*.",
	  .kind = OPTION_TEXT,
	  TO(agent.users),
	  .offer = OFFER_FILES },
	{ .name = "findings",
	  .help = "also say what is wrong with the nodes, as `erlbpf why` does",
	  .manual =
		  "Watch one node after the other for 10 seconds, as *erlbpf why* does, without a probe. What is wrong "
		  "with it is\n"
		  "the metric *erlbpf_finding*, with the labels _rule_, _severity_ and _process_, until it is watched "
		  "again.\n"
		  "The next node follows after 20 seconds.",
	  .kind = OPTION_FLAG,
	  TO(agent.with_findings) },
	{ .name = "profile-hz",
	  .argument = "HZ",
	  .help = "sample processor time all the time, so often per second and CPU, and keep the last hour",
	  .manual = "Sample the processor time of all nodes all the time, so often per second and CPU (1 to 99), and "
		    "keep the\n"
		    "last hour, as *erlbpf-profile*(8) does. _19_ costs next to nothing. See *PROFILES*.",
	  .kind = OPTION_NUMBER,
	  TO(profile_hz),
	  .least = 1,
	  .most = 99 },
	{ .name = "no-seccomp",
	  .help = "do not filter system calls, for debugging",
	  .kind = OPTION_FLAG,
	  TO(agent.without_filter) },
	{ .name = "quiet",
	  .letter = 'q',
	  .help = "print no messages except errors",
	  .kind = OPTION_SET,
	  TO(verbosity),
	  .value = LOG_QUIET },
	{ .name = "verbose",
	  .letter = 'v',
	  .help = "more messages; -vv: also those of libbpf",
	  .kind = OPTION_MORE,
	  TO(verbosity) },
	{ .name = "help",
	  .letter = 'h',
	  .help = "print this help",
	  .kind = OPTION_FLAG,
	  TO(wants_help),
	  .is_last = true },
};

const struct option_table export_options = { .rows = rows, .count = sizeof(rows) / sizeof(*rows) };

void export_help(void)
{
	fputs("usage: erlbpf export [OPTIONS]\n"
	      "\n"
	      "export: trace all Erlang nodes of this machine, and serve metrics to Prometheus.\n"
	      "\n"
	      "Tools run all the time, on all nodes, including those in containers and those that start later. The\n"
	      "results are served at /metrics, and at / for a browser. /targets shows the traced nodes; /-/healthy\n"
	      "and /-/ready are for health checks.\n"
	      "\n"
	      "Examples:\n"
	      "  # On the loopback address, with the default tools\n"
	      "  erlbpf export\n"
	      "  # For a Prometheus on another machine, with other tools\n"
	      "  erlbpf export --listen :9568 --tools sched-latency,mailbox,slices\n"
	      "  # Also pushed to an OpenTelemetry collector\n"
	      "  erlbpf export --otlp http://collector:4318\n"
	      "\n"
	      "Tools that can be exported:\n",
	      stdout);
	export_print_tools(stdout, HELP_WIDTH);
	fputs("\n\nOptions:\n", stdout);
	option_print_help(stdout, &export_options);
}

/* --- The line as a whole ------------------------------------------------------------------------------------ */

static const char *finish(struct request *request)
{
	struct push_options *push = &request->agent.push;

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
	if (code || request->wants_help)
		return code;
	problem = finish(request);
	return problem ? option_problem(&reader, problem) : EXIT_OK;
}

int export_main(int argc, char **argv)
{
	struct request request = {
		.agent = {
			.listen = AGENT_DEFAULT_LISTEN,
			.run = { .glob = "*",
				 .select = { .pod_logs = POD_LOGS },
				 .names = parse_names_environment() },
			.push = { .interval_ns = PUSH_DEFAULT_INTERVAL_S * NS_PER_S },
			.max_overhead = percent_of_environment("ERLBPF_MAX_OVERHEAD", DEFAULT_OVERHEAD) / 100,
		},
		.series_names = AGENT_DEFAULT_NAMES,
		.series = AGENT_DEFAULT_SERIES,
		.verbosity = LOG_NORMAL,
	};
	int code = parse(&request, argc, argv);

	log_set_level((enum log_level)(request.verbosity > LOG_DEBUG ? LOG_DEBUG : request.verbosity));
	if (code == EXIT_OK && request.wants_help) {
		export_help();
		code = output_finish(EXIT_OK);
	} else if (code == EXIT_OK)
		code = agent_run(&request.agent);
	pairs_free(&request.agent.push.headers);
	pairs_free(&request.agent.push.resource);
	return code;
}
