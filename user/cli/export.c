// SPDX-License-Identifier: BSD-2-Clause
/* erlbpf export: the agent's command line. */
#include "cli/export.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/push_options.h"
#include "serve/agent.h"
#include "serve/pod.h"

#define MOST_NAMES 1000

static const char usage[] =
	"usage: erlbpf export [OPTIONS]\n"
	"\n"
	"export: watch every BEAM of this machine, and serve what is found to Prometheus.\n"
	"\n"
	"Tools run all the time, on all nodes, also those that start later, in all containers; what they count is\n"
	"served at /metrics, and shown at / to a browser. /targets says what is traced, /-/healthy and /-/ready that "
	"it lives.\n"
	"\n"
	"Examples:\n"
	"  # On loopback, with the tools that are worth it anywhere\n"
	"  erlbpf export\n"
	"  # For a Prometheus elsewhere, with other tools\n"
	"  erlbpf export --listen :9568 --tools sched-latency,mailbox,slices\n"
	"  # Pushed to a collector of OpenTelemetry, too\n"
	"  erlbpf export --otlp http://collector:4318\n"
	"\n"
	"Options:\n"
	"      --listen ADDR:PORT       where to serve (default: " AGENT_DEFAULT_LISTEN ")\n"
	"      --tools NAME[,NAME]      which tools run (default: " AGENT_DEFAULT_TOOLS ")\n"
	"      --names N                names of processes with series of their own, per metric and node (default: "
	"20)\n"
	"      --max-overhead PERCENT   of one processor that tools may cost a node, such as 2%: beyond it names and\n"
	"                               then tools are left out until the load falls (default: no limit)\n"
	"      --otlp URL               push to a receiver of OTLP over HTTP; without a path, to /v1/metrics there\n"
	"      --otlp-interval TIME     how often (default: 15s)\n"
	"      --otlp-header NAME=VALUE sent with it; more than one can be given. OTEL_EXPORTER_OTLP_HEADERS is read, "
	"too\n"
	"      --pod-logs DIR           where the kubelet's logs are, which name pods (default: " POD_LOGS ")\n"
	"      --no-seccomp             filter no system calls, for debugging\n"
	"      --script DIR             run the D scripts DIR/*.d, as long as they are there: their aggregations are "
	"metrics\n"
	"      --series N               series of each aggregation of a script (default: 100)\n"
	"      --node NAME              only nodes of this name, such as 'shop-*'\n"
	"  -v                           say more; -vv: all\n"
	"  -q                           only errors\n"
	"  -h, --help                   this help\n";

enum {
	LISTEN = 256,
	TOOLS,
	NAMES,
	NODE,
	POD_LOGS_DIR,
	NO_SECCOMP,
	MAX_OVERHEAD,
	OTLP,
	OTLP_INTERVAL,
	OTLP_HEADER,
	SCRIPT,
	SERIES
};

static const struct option options[] = {
	{ "listen", required_argument, NULL, LISTEN },
	{ "tools", required_argument, NULL, TOOLS },
	{ "names", required_argument, NULL, NAMES },
	{ "pod-logs", required_argument, NULL, POD_LOGS_DIR },
	{ "node", required_argument, NULL, NODE },
	{ "script", required_argument, NULL, SCRIPT },
	{ "series", required_argument, NULL, SERIES },
	{ "max-overhead", required_argument, NULL, MAX_OVERHEAD },
	{ "otlp", required_argument, NULL, OTLP },
	{ "otlp-interval", required_argument, NULL, OTLP_INTERVAL },
	{ "otlp-header", required_argument, NULL, OTLP_HEADER },
	{ "no-seccomp", no_argument, NULL, NO_SECCOMP },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

struct wish {
	struct agent_options agent;
	const struct tool *tools[AGENT_MOST_TOOLS];
	char names[512];
};

static int choose_tools(struct wish *wish, const char *list)
{
	char *rest = wish->names, *name;

	snprintf(wish->names, sizeof(wish->names), "%s", list);
	wish->agent.tool_count = 0;
	while ((name = strsep(&rest, ","))) {
		const struct tool *tool = tool_find(name);

		if (!tool)
			return command_unknown(name);
		if (wish->agent.tool_count == AGENT_MOST_TOOLS) {
			pr_err("more than %d tools at once are not run", AGENT_MOST_TOOLS);
			return EXIT_USAGE;
		}
		wish->tools[wish->agent.tool_count++] = tool;
	}
	wish->agent.tools = wish->tools;
	return EXIT_OK;
}

static int bad_usage(const char *what)
{
	if (what)
		pr_err("%s", what);
	fputs("erlbpf: `erlbpf help export` says what there is\n", stderr);
	return EXIT_USAGE;
}

static int take_number(const char *text, size_t *number, const char *problem)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || end == text || n > MOST_NAMES)
		return bad_usage(problem);
	*number = n;
	return EXIT_OK;
}

static int take_overhead(struct wish *wish, const char *text)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || strcmp(end, *end == '%' ? "%" : "") || !(percent > 0 && percent <= 1000))
		return bad_usage("--max-overhead takes a part of a processor, such as 2%");
	wish->agent.max_overhead = percent / 100;
	return EXIT_OK;
}

/* `problem` is NULL if there is none. */
static int take(const char *problem)
{
	return problem ? bad_usage(problem) : EXIT_OK;
}

static int finish_push(struct push_options *push)
{
	if (push->url[0])
		return take(push_options_environment(push));
	return push->headers.count ? bad_usage("--otlp-header goes with --otlp") : EXIT_OK;
}

static int parse(struct wish *wish, int argc, char **argv, int *verbosity)
{
	int c, code = choose_tools(wish, AGENT_DEFAULT_TOOLS);

	optind = 1;
	while (code == EXIT_OK && (c = getopt_long(argc, argv, "hvq", options, NULL)) != -1) {
		switch (c) {
		case LISTEN: wish->agent.listen = optarg; break;
		case TOOLS: code = choose_tools(wish, optarg); break;
		case NAMES:
			code = take_number(optarg, &wish->agent.names, "--names takes a number from 0 to 1000");
			break;
		case SERIES:
			code = take_number(optarg, &wish->agent.script_series,
					   "--series takes a number from 0 to 1000");
			break;
		case SCRIPT: wish->agent.scripts = optarg; break;
		case POD_LOGS_DIR: wish->agent.pod_logs = optarg; break;
		case MAX_OVERHEAD: code = take_overhead(wish, optarg); break;
		case OTLP: code = take(push_options_url(&wish->agent.push, optarg)); break;
		case OTLP_INTERVAL: code = take(push_options_interval(&wish->agent.push, optarg)); break;
		case OTLP_HEADER: code = take(push_options_header(&wish->agent.push, optarg)); break;
		case NO_SECCOMP: wish->agent.without_filter = true; break;
		case NODE: wish->agent.run.node = optarg; break;
		case 'v': ++*verbosity; break;
		case 'q': *verbosity = LOG_QUIET; break;
		case 'h': fputs(usage, stdout); exit(EXIT_OK);
		default: return bad_usage(NULL);
		}
	}
	if (code == EXIT_OK && optind < argc)
		return bad_usage("export takes options only");
	return code == EXIT_OK ? finish_push(&wish->agent.push) : code;
}

void export_help(void)
{
	fputs(usage, stdout);
}

int export_main(int argc, char **argv)
{
	struct wish wish = {
		.agent = {
			.listen = AGENT_DEFAULT_LISTEN, .names = AGENT_DEFAULT_NAMES, .pod_logs = POD_LOGS,
			.script_series = AGENT_DEFAULT_SERIES,
			.run = { .glob = "*" }, .push = { .interval_ns = PUSH_DEFAULT_INTERVAL_S * NS_PER_S },
		},
	};
	int verbosity = LOG_NORMAL, code = parse(&wish, argc, argv, &verbosity);

	log_set_level((enum log_level)(verbosity > LOG_DEBUG ? LOG_DEBUG : verbosity));
	if (code == EXIT_OK)
		code = agent_run(&wish.agent);
	pairs_free(&wish.agent.push.headers);
	pairs_free(&wish.agent.push.resource);
	return code;
}
