// SPDX-License-Identifier: BSD-2-Clause
#include "cli/profile/profile_run.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/percent.h"
#include "base/privileges.h"
#include "cli/options/command.h"
#include "cli/options/output.h"
#include "cli/options/option_text.h"
#include "cli/profile/profile_events.h"
#include "cli/profile/profile_formats.h"
#include "cli/profile/profile_top.h"
#include "cli/options/select_options.h"
#include "load/guardian/guardian.h"
#include "load/kernel/kernel.h"
#include "node/memory/erlid.h"
#include "node/atoms/spelling.h"
#include "options.h"
#include "profile/profiling.h"
#include "trace/child.h"
#include "trace/nodes.h"
#include "run/unprivileged.h"
#include "target/target.h"

#define DEFAULT_FREQUENCY 99 /* not 100: in step with nothing that happens a hundred times per second */
#define MOST_FREQUENCY 10000
#define DEFAULT_INTERVAL_NS (2 * NS_PER_S)
#define DEFAULT_OVERHEAD 5 /* percent of the time that the node uses */

struct request {
	struct options options; /* the part that says which nodes are meant */
	struct profile_output output;
	struct stack_merge_request join;
	enum profiling_mode mode;
	struct profile_events events;
	struct profiling_events made; /* of the events */
	uint64_t duration_ns, frequency, process;
	double overhead; /* percent; 0: no limit */
	bool is_top;
	uint64_t interval_ns; /* of --top */
	bool is_exact;
	enum name_spelling names;
	int verbosity;
	bool wants_help;
};

static const char *take_pids(void *data, const char *text)
{
	struct options *o = &((struct request *)data)->options;

	return select_take_pids(o->pids, &o->pid_count, text);
}

static const char *take_user(void *data, const char *text)
{
	return select_take_user(&((struct request *)data)->options.select, text);
}

static const char *take_command(void *data, const char *text)
{
	return select_take_command(&((struct request *)data)->options.command, text);
}

static const char *take_overhead(void *data, const char *text)
{
	return percent_parse(text, &((struct request *)data)->overhead)
		       ? NULL
		       : "expected a percentage, such as 5%, or 0 for no limit";
}

static const char *take_erl_pid(void *data, const char *text)
{
	struct request *request = data;

	return erlid_parse(text, &request->process) ? "expected a pid of the node, such as '<0.91.0>'" : NULL;
}

static const char *take_probe(void *data, const char *text)
{
	return profile_events_take_probe(&((struct request *)data)->events, text);
}

static const char *take_min(void *data, const char *text)
{
	return profile_output_take_min(&((struct request *)data)->output, text);
}

/* Patterns are compared with names as they are shown. */
static const char *take_function(void *data, const char *text)
{
	((struct request *)data)->join.function = text;
	return NULL;
}

/* [SECONDS] */
static const char *take_word(void *data, const char *word)
{
	struct request *request = data;

	if (request->duration_ns)
		return "the time was given twice";
	return duration_parse(word, NS_PER_S, &request->duration_ns) || !request->duration_ns
		       ? "expected a time, such as 10 or 500ms"
		       : NULL;
}

static const struct option_choice keys[] = {
	{ "pid", STACK_MERGE_PID, 0 },	 { "name", STACK_MERGE_NAME, 0 },	    { "mfa", STACK_MERGE_MFA, 0 },
	{ "node", STACK_MERGE_NODE, 0 }, { "scheduler", STACK_MERGE_SCHEDULER, 0 }, {},
};

static const struct option_choice spellings[] = {
	{ "erlang", SPELLING_ERLANG, 0 },
	{ "elixir", SPELLING_ELIXIR, 0 },
	{},
};

#define TO(member) .to = offsetof(struct request, member)

static const struct option_row rows[] = {
	{ .name = "pid",
	  .letter = 'p',
	  .argument = "PID[,PID]",
	  .help = "profile these processes (default: every Erlang node)",
	  .section = "Targets",
	  .kind = OPTION_CALL,
	  .take = take_pids,
	  .offer = OFFER_PIDS },
	SELECT_ROWS(0, struct request, options.select, take_user),
	{ .name = "no-wait",
	  .help = "do not wait for a node that does not run yet",
	  .manual = "If *--node* or another option selects nodes and none of them runs, one is waited for, and the "
		    "time begins\n"
		    "when it is profiled. With this option the exit status is 3 instead.",
	  .kind = OPTION_FLAG,
	  TO(options.no_wait) },
	{ .name = "cmd",
	  .letter = 'c',
	  .argument = "COMMAND",
	  .help = "start COMMAND, profile it, and stop when it exits",
	  .manual = "Start _COMMAND_, profile the Erlang nodes among it and its descendants, and stop when it exits.\n"
		    "_COMMAND_ is split at blanks; single and double quotes keep blanks together; no shell is "
		    "involved.\n"
		    "A node is found about 20 ms after it has created its process table; what it did before is not\n"
		    "sampled. If no node is found, the exit status is 3. _COMMAND_ writes to the same output as\n"
		    "*erlbpf*; *-o* separates them. When the profile ends first, *erlbpf* sends SIGTERM to _COMMAND_\n"
		    "and waits for it. Its exit status is ignored.",
	  .kind = OPTION_CALL,
	  .take = take_command,
	  .offer = OFFER_COMMANDS },
	{ .name = "duration",
	  .letter = 'd',
	  .argument = "TIME",
	  .help = "stop after this time (10 means seconds; or 500ms, 2m)",
	  .section = "What is sampled",
	  .manual = "Stop after this time, which may also be given without the option. Default: at SIGINT or SIGTERM.",
	  .kind = OPTION_TIME,
	  TO(duration_ns) },
	{ .name = "off-cpu",
	  .help = "how long processes do not run, and why, instead of processor time",
	  .manual = "How long Erlang processes do not run, by the stack with which they stopped: until somebody wakes\n"
		    "them (_waiting for a message_, or a timer), then until a scheduler picks them (_waiting for a\n"
		    "scheduler_), or because they are _suspended_, as by a busy port. This puts probes into the nodes.",
	  .kind = OPTION_SET,
	  TO(mode),
	  .value = PROFILING_OFF },
	{ .name = "wall",
	  .help = "processor time, and how long processes do not run",
	  .manual = "Processor time and *--off-cpu*, in one profile.",
	  .kind = OPTION_SET,
	  TO(mode),
	  .value = PROFILING_WALL },
	{ .name = "max-overhead",
	  .argument = "PERCENT",
	  .help = "how much probes may cost a node, in percent of the CPU time that it uses (default: "
		  "5%)",
	  .manual = "How much the probes of *--off-cpu*, *--wall* and events may cost a node, in percent of the CPU "
		    "time that "
		    "it uses.\n"
		    "If they cost more, they are on in short windows only, and weights are scaled to the whole. "
		    "Processes\n"
		    "that wait longer than such a window are then read from the node's memory; of more than about "
		    "4,000, a part.\n"
		    "Default: 5%. 0: no limit, like *--exact*.",
	  .kind = OPTION_CALL,
	  .take = take_overhead },
	{ .name = "exact", .help = "keep the probes on whatever they cost", .kind = OPTION_FLAG, TO(is_exact) },
	{ .name = "top",
	  .help = "show the functions that use processor time now, again and again",
	  .manual = "Show the functions that use processor time now, and again every two seconds (*--interval*): on a "
		    "terminal as a\n"
		    "screen with the keys of *erlbpf top*, else as a table each time, or with *-j* as a line of JSON. "
		    "Enter shows the\n"
		    "stack on which a function is most. Nodes that start later are sampled too.",
	  .kind = OPTION_FLAG,
	  TO(is_top) },
	{ .name = "interval",
	  .letter = 'i',
	  .argument = "TIME",
	  .help = "with --top: how often it is shown anew (default: 2s)",
	  .kind = OPTION_TIME,
	  TO(interval_ns) },
	PROFILE_EVENT_ROWS(struct request, events, take_probe),
	{ .name = "frequency",
	  .letter = 'F',
	  .argument = "HZ",
	  .help = "samples per second and CPU (default: 99)",
	  .kind = OPTION_NUMBER,
	  TO(frequency),
	  .least = 1,
	  .most = MOST_FREQUENCY },
	{ .name = "by",
	  .argument = "KEY",
	  .help = "stacks begin with",
	  .manual = "Tell stacks apart by the Erlang process (_pid_), its name (_name_), the function it was spawned "
		    "with\n"
		    "(_mfa_), the _node_, or, of processor time, the _scheduler_ that ran it. It becomes the first "
		    "frame.",
	  .kind = OPTION_CHOICE,
	  TO(join.by),
	  .choices = keys },
	{ .name = "erl-pid",
	  .argument = "<0.N.S>",
	  .help = "only this Erlang process",
	  .manual = "Only this Erlang process of each node. A node that has no such process is not profiled.",
	  .kind = OPTION_CALL,
	  .take = take_erl_pid },
	{ .name = "function",
	  .argument = "GLOB",
	  .help = "only stacks with a function of this name, such as 'ets:*'",
	  .manual = "Only stacks in which a function has this name, as it is shown. \\*, ? and [...] are wildcards, as "
		    "in\n"
		    "file names: _'ets:\\*'_.",
	  .kind = OPTION_CALL,
	  .take = take_function },
	{ .name = "names",
	  .argument = "SPELLING",
	  .help = "write names of Elixir as this language does (default), or as Erlang does:",
	  .kind = OPTION_CHOICE,
	  TO(names),
	  .choices = spellings },
	PROFILE_FORMAT_ROWS(struct request, output, take_min),
	{ .name = "keep-caps",
	  .help = "keep all privileges while the profile runs",
	  .manual = "Keep all capabilities, and do not filter system calls. Without it, *erlbpf* gives up what it no "
		    "longer\n"
		    "needs as soon as the profile runs. It then keeps CAP_SYSLOG, for the names of the kernel's "
		    "functions, and\n"
		    "without *-p* also the capabilities that it takes to find nodes that start later. For debugging.",
	  .kind = OPTION_FLAG,
	  TO(options.keep_caps) },
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

const struct option_table profile_run_options = { .rows = rows, .count = sizeof(rows) / sizeof(*rows) };

void profile_run_help(void)
{
	fputs("usage: erlbpf profile [OPTIONS] [SECONDS]\n"
	      "       erlbpf profile show [OPTIONS] FILE\n"
	      "       erlbpf profile diff [OPTIONS] BEFORE AFTER\n"
	      "\n"
	      "Shows where nodes spend processor time: the Erlang functions with their callers, and above them the "
	      "code\n"
	      "of C that they have called: BIFs, NIFs, the VM, libraries, the kernel. A clock of each CPU samples the\n"
	      "stacks of the nodes' threads. This puts no probe into a node and writes nothing there;\n"
	      "--off-cpu and --wall, which show how long processes do not run, and what shows events put\n"
	      "probes into the nodes.\n"
	      "\n"
	      "Options:\n",
	      stdout);
	option_print_help(stdout, &profile_run_options);
}

/* Said at the end: what the samples were, and what is missing among them. */
static void tell_samples(const struct request *request, const struct profiling_summary *s)
{
	char sampled[32], used[32], duration[32];

	pr_info("%" PRIu64 " samples of nodes: %s of processor time in %s, of %s that the kernel counts", s->samples,
		duration_format(s->samples * NS_PER_S / request->frequency, sampled),
		duration_format(s->duration_ns, duration), duration_format(s->used_ns, used));
	pr_info("%" PRIu64 " samples found a CPU idle, %" PRIu64 " found it busy with something else", s->idle,
		s->others);
}

static void tell_events(const struct profiling_summary *s)
{
	pr_info("%" PRIu64 " events in the profile", s->events);
	if (s->counts.cut)
		pr_warn("%" PRIu64 " stacks have more than %d frames, which were cut: [cut]", s->counts.cut,
			SAMPLE_ERLANG);
	if (s->counts.unknown + s->counts.torn)
		pr_warn("%" PRIu64 " stacks could not be read to their end", s->counts.unknown + s->counts.torn);
	if (s->unknown_base)
		pr_info("of %" PRIu64
			" collections, binaries outside of the heap are not known: the first of each process",
			s->unknown_base);
	if (s->events_lost)
		pr_warn("%" PRIu64 " events were lost because there were too many different stacks", s->events_lost);
}

static void tell(const struct request *request, const struct profiling_summary *s)
{
	const struct stack_merge_counts *c = &s->counts;

	if (s->nodes_beyond)
		pr_warn("%" PRIu64 " nodes started when the profile had %d, which is as many as it has room for",
			s->nodes_beyond, SAMPLE_NODES);
	if (s->probed_part < 1)
		pr_info("probes were on for %.3g %% of the time; what they measured is scaled to all of it",
			s->probed_part * 100);
	if (request->mode == PROFILING_EVENTS)
		tell_events(s);
	if (s->off_lost)
		pr_warn("%" PRIu64 " times off CPU were lost because there were too many different stacks",
			s->off_lost);
	if (request->mode == PROFILING_OFF || request->mode == PROFILING_EVENTS)
		return;
	tell_samples(request, s);
	if (s->filtered + c->left_out)
		pr_info("%" PRIu64 " samples were of other processes or functions", s->filtered + c->left_out);
	if (c->cut)
		pr_warn("%" PRIu64 " samples have stacks of more than %d frames, which were cut: [cut]", c->cut,
			SAMPLE_ERLANG);
	if (c->unknown + c->torn)
		pr_warn("%" PRIu64 " samples have Erlang stacks that could not be read to their end",
			c->unknown + c->torn);
	if (s->lost)
		pr_warn("%" PRIu64 " samples were lost because there were too many different stacks", s->lost);
}

/* Why there is nothing, or an empty table would look as if something was wrong. */
static void tell_nothing(const struct request *request, const struct profiling_summary *s)
{
	if (request->join.function || request->process)
		pr_info("The profile is empty: nothing was seen of the process or function that was asked for.");
	else if (request->mode == PROFILING_EVENTS)
		pr_info("The profile is empty: there was no such event.");
	else if (request->mode == PROFILING_OFF)
		pr_info("The profile is empty: no process was picked by a scheduler, so none is known to have waited.");
	else
		pr_info("The profile is empty: no sample found a node running. %s",
			s->used_ns < NS_PER_S / request->frequency ? "All were idle." : "Profile for a longer time.");
}

static int refuse(int err, unsigned long errors)
{
	if (err == ESRCH) {
		pr_err("no node has such a process");
		return EXIT_NO_TARGET;
	}
	if (log_errors() == errors)
		pr_err("cannot profile: %s", strerror(err));
	return err == ENODEV ? EXIT_NO_TARGET : EXIT_FAILED;
}

static int show(const struct request *request, const struct profile_output *output, const struct profile *profile,
		const struct profiling_summary *summary)
{
	if (request->options.command && !summary->nodes) {
		pr_err("%s has not started an Erlang node", request->options.command[0]);
		return EXIT_NO_TARGET;
	}
	tell(request, summary);
	if (profile_is_empty(profile))
		tell_nothing(request, summary);
	return profile_output_write(output, profile);
}

/* The targets are those of now; more may come. */
static int profile_nodes(const struct request *request, const struct kernel *kernel, const struct target_list *targets,
			 const struct profile_output *output, struct child *child)
{
	/* The kernel's functions are named by CAP_SYSLOG. */
	const struct unprivileged gives_up = {
		.kernel = kernel,
		.attaches = !request->options.pid_count,
		.more = PRIVILEGE(CAP_SYSLOG),
	};
	struct profiling_request how = {
		.mode = request->mode,
		.nodes = &request->options,
		.kernel = kernel,
		.targets = targets,
		.frequency = (unsigned int)request->frequency,
		.duration_ns = request->duration_ns,
		.process = request->process,
		.events = request->made,
		.share = request->is_exact ? 0 : request->overhead / 100,
		.join = request->join,
		.style = { .is_elixir = request->names != SPELLING_ERLANG, .with_owner = true },
		.follows = !request->options.pid_count,
		.child = child,
		.gives_up = request->options.keep_caps ? NULL : &gives_up,
	};
	unsigned long errors = log_errors();
	struct profiling_summary summary;
	struct profile *profile = profiling_run(&how, &summary);
	int err = profile ? 0 : errno;
	int code = profile ? show(request, output, profile, &summary) : refuse(err, errors);

	profile_free(profile);
	return code;
}

/* --- Which nodes -------------------------------------------------------------------------------------------------- */

/* Those of now. With -c, none is meant but the command's; and those that may come are waited for. */
static int find_targets(const struct request *request, struct target_list *targets)
{
	char nobody[NOBODY_SIZE];
	int code;

	if (request->options.command)
		return EXIT_OK;
	code = nodes_find(&request->options, targets);
	if (code != EXIT_OK || targets->count || command_may_wait(&request->options))
		return code;
	pr_err("%s", command_nobody(&request->options, nobody));
	return EXIT_NO_TARGET;
}

/* Until there is one that was selected, or the user does not want to wait any longer. */
static int wait_for_targets(const struct request *request, struct target_list *targets)
{
	return request->options.command || targets->count ? EXIT_OK : command_wait(&request->options, targets);
}

static int top_run(const struct request *request, const struct kernel *kernel)
{
	const struct profile_top_request how = {
		.live = { .kernel = kernel,
			  .nodes = &request->options,
			  .frequency = (unsigned int)request->frequency,
			  .process = request->process,
			  .join = request->join,
			  .style = { .is_elixir = request->names != SPELLING_ERLANG, .with_owner = true } },
		.interval_ns = request->interval_ns,
		.duration_ns = request->duration_ns,
		.rows = request->output.rows,
		.is_json = request->output.format == PROFILE_JSON,
		.keep_caps = request->options.keep_caps,
	};
	struct target_list targets = {};
	int code = find_targets(request, &targets);

	if (code == EXIT_OK)
		code = wait_for_targets(request, &targets);
	target_list_free(&targets);
	return code == EXIT_OK ? profile_top(&how) : code;
}

/* What forks does so before the command, which would have their descriptors otherwise. */
static int start_child(const struct request *request, struct child **child)
{
	if (!request->options.command)
		return EXIT_OK;
	if (request->mode != PROFILING_CPU && guardian_start())
		return EXIT_FAILED;
	*child = child_start(request->options.command);
	if (*child)
		return EXIT_OK;
	pr_err("cannot start %s: %s", request->options.command[0], strerror(errno));
	return EXIT_FAILED;
}

static int profile_run(const struct request *request, const struct kernel *kernel)
{
	struct profile_output output = request->output;
	struct target_list targets = {};
	struct child *child = NULL;
	int code = find_targets(request, &targets);

	if (code == EXIT_OK)
		code = profile_output_open(&output);
	if (code == EXIT_OK)
		code = wait_for_targets(request, &targets);
	if (code == EXIT_OK)
		code = start_child(request, &child);
	if (code == EXIT_OK)
		code = profile_nodes(request, kernel, &targets, &output, child);
	child_free(child);
	profile_output_close(&output);
	target_list_free(&targets);
	return code;
}

static int run(const struct request *request)
{
	struct kernel kernel;
	const char *refusal;

	kernel_detect(&kernel);
	refusal = profiling_refusal(&kernel);
	if (!refusal)
		return request->is_top ? top_run(request, &kernel) : profile_run(request, &kernel);
	pr_err("%s", refusal);
	return EXIT_NO_PRIVILEGE;
}

/* NULL, or what does not go together. */
static const char *problem_of(const struct request *request)
{
	enum profile_format format = request->output.format;

	if (request->options.pid_count && target_selector_is_set(&request->options.select))
		return "-p and options that select nodes exclude each other";
	if (request->options.command && (request->options.pid_count || request->is_top))
		return request->is_top ? "-c and --top cannot be combined" : "-c and -p cannot be combined";
	if (!request->is_top)
		return request->interval_ns ? "--interval needs --top" : NULL;
	if (request->mode != PROFILING_CPU)
		return "--top shows processor time, and nothing else";
	if ((format != PROFILE_TEXT && format != PROFILE_JSON) || request->output.file)
		return "--top shows tables or, with -j, lines of JSON, on standard output";
	if (request->output.least > 0 || request->output.shows_lines)
		return "--top shows functions: it has no stacks for --min and no lines for --lines";
	return request->join.by == STACK_MERGE_NOTHING ? NULL : "--top shows functions, and --by does not change them";
}

static const char *take_events(struct request *request)
{
	const char *problem = profile_events_make(&request->events, &request->made);

	if (problem || !request->events.event)
		return problem;
	if (request->mode != PROFILING_CPU || request->is_top)
		return "--off-cpu, --wall and --top show time, and no events";
	request->mode = PROFILING_EVENTS;
	return NULL;
}

/* Who waits is on none, and of events it is not kept: there would be as many more stacks. */
static const char *problem_of_scheduler(const struct request *request)
{
	return request->join.by == STACK_MERGE_SCHEDULER && request->mode != PROFILING_CPU
		       ? "--by scheduler is for processor time, not for --off-cpu, --wall or events"
		       : NULL;
}

int profile_run_main(int argc, char **argv)
{
	struct request request = {
		.frequency = DEFAULT_FREQUENCY,
		.overhead = percent_of_environment("ERLBPF_MAX_OVERHEAD", DEFAULT_OVERHEAD),
	};
	const struct option_reader reader = {
		.table = profile_run_options,
		.data = &request,
		.word = take_word,
		.called = "erlbpf: profile",
		.help = "erlbpf help profile",
		.errors = stderr,
	};
	int code = option_read(&reader, argc, argv);
	const char *problem;

	if (code)
		return code;
	if (request.wants_help) {
		profile_run_help();
		return output_finish(EXIT_OK);
	}
	problem = problem_of(&request);
	if (!problem)
		problem = take_events(&request);
	if (!problem)
		problem = problem_of_scheduler(&request);
	if (problem)
		return option_problem(&reader, problem);
	if (!request.interval_ns)
		request.interval_ns = DEFAULT_INTERVAL_NS;
	log_set_level((enum log_level)(request.verbosity > LOG_DEBUG ? LOG_DEBUG : request.verbosity));
	return run(&request);
}
