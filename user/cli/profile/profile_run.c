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
#include "base/process/privileges.h"
#include "cli/options/command.h"
#include "cli/options/output.h"
#include "cli/profile/profile_options.h"
#include "cli/profile/profile_top.h"
#include "load/guardian/guardian.h"
#include "load/kernel/kernel.h"
#include "node/atoms/spelling.h"
#include "node/memory/erlid.h"
#include "options.h"
#include "profile/profiling.h"
#include "run/unprivileged.h"
#include "target/target.h"
#include "trace/child.h"
#include "trace/nodes.h"

#define DEFAULT_FREQUENCY 99 /* not 100: in step with nothing that happens a hundred times per second */
#define DEFAULT_INTERVAL_NS (2 * NS_PER_S)
#define DEFAULT_OVERHEAD 5 /* percent of the time that the node uses */

/* [SECONDS] */
static const char *take_word(void *data, const char *word)
{
	struct profile_request *request = data;

	if (request->parsed.options.duration_ns)
		return "the time was given twice";
	return duration_parse(word, NS_PER_S, &request->parsed.options.duration_ns) ||
			       !request->parsed.options.duration_ns
		       ? "expected a time, such as 10 or 500ms"
		       : NULL;
}

/* Said at the end: what the samples were, and what is missing among them. */
static void tell_samples(const struct profile_request *request, const struct profiling_summary *s)
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

static void tell(const struct profile_request *request, const struct profiling_summary *s)
{
	const struct stack_merge_counts *c = &s->counts;

	if (s->nodes_beyond)
		pr_warn("%" PRIu64 " nodes started when the profile had %d, which is as many as it has room for",
			s->nodes_beyond, SAMPLE_NODES);
	if (s->probed_part < 1)
		pr_info("probes were on for %.3g %% of the time; the profile has what they saw then",
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
static void tell_nothing(const struct profile_request *request, const struct profiling_summary *s)
{
	if (request->join.function || request->parsed.options.erl_pid)
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

static int show(const struct profile_request *request, const struct profile_output *output,
		const struct profile *profile, const struct profiling_summary *summary)
{
	if (request->parsed.options.command && !summary->nodes) {
		pr_err("%s has not started an Erlang node", request->parsed.options.command[0]);
		return EXIT_NO_TARGET;
	}
	tell(request, summary);
	if (profile_is_empty(profile))
		tell_nothing(request, summary);
	return profile_output_write(output, profile);
}

/* The targets are those of now; more may come. */
static int profile_nodes(const struct profile_request *request, const struct kernel *kernel,
			 const struct target_list *targets, const struct profile_output *output, struct child *child)
{
	/* The kernel's functions are named by CAP_SYSLOG. */
	const struct unprivileged gives_up = {
		.kernel = kernel,
		.attaches = !request->parsed.options.pid_count,
		.more = PRIVILEGE(CAP_SYSLOG),
	};
	struct profiling_request how = {
		.mode = request->mode,
		.nodes = &request->parsed.options,
		.kernel = kernel,
		.targets = targets,
		.frequency = (unsigned int)request->frequency,
		.duration_ns = request->parsed.options.duration_ns,
		.process = request->parsed.options.erl_pid,
		.events = request->made,
		.share = request->is_exact ? 0 : request->overhead / 100,
		.join = request->join,
		.style = { .is_elixir = request->parsed.options.names != SPELLING_ERLANG, .with_owner = true },
		.follows = !request->parsed.options.pid_count,
		.child = child,
		.gives_up = request->parsed.options.keep_caps ? NULL : &gives_up,
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

/* The running nodes. None with -c, whose nodes start later. */
static int find_targets(const struct profile_request *request, struct target_list *targets)
{
	char none[NO_NODES_SIZE];
	int code;

	if (request->parsed.options.command)
		return EXIT_OK;
	code = nodes_find(&request->parsed.options, targets);
	if (code != EXIT_OK || targets->count || command_may_wait(&request->parsed.options))
		return code;
	pr_err("%s", command_no_nodes(&request->parsed.options, none));
	return EXIT_NO_TARGET;
}

/* Until there is one that was selected, or the user does not want to wait any longer. */
static int wait_for_targets(const struct profile_request *request, struct target_list *targets)
{
	return request->parsed.options.command || targets->count ? EXIT_OK
								 : command_wait(&request->parsed.options, targets);
}

static int top_run(const struct profile_request *request, const struct kernel *kernel)
{
	const struct profile_top_request how = {
		.live = { .kernel = kernel,
			  .nodes = &request->parsed.options,
			  .frequency = (unsigned int)request->frequency,
			  .process = request->parsed.options.erl_pid,
			  .join = request->join,
			  .style = { .is_elixir = request->parsed.options.names != SPELLING_ERLANG,
				     .with_owner = true } },
		.interval_ns = request->interval_ns,
		.duration_ns = request->parsed.options.duration_ns,
		.rows = request->output.rows,
		.is_json = request->output.format == PROFILE_JSON,
		.keep_caps = request->parsed.options.keep_caps,
	};
	struct target_list targets = {};
	int code = find_targets(request, &targets);

	if (code == EXIT_OK)
		code = wait_for_targets(request, &targets);
	target_list_free(&targets);
	return code == EXIT_OK ? profile_top(&how) : code;
}

/* Side processes start before the command, which would inherit their descriptors otherwise. */
static int start_child(const struct profile_request *request, struct child **child)
{
	if (!request->parsed.options.command)
		return EXIT_OK;
	if (request->mode != PROFILING_CPU && guardian_start())
		return EXIT_FAILED;
	*child = child_start(request->parsed.options.command);
	if (*child)
		return EXIT_OK;
	pr_err("cannot start %s: %s", request->parsed.options.command[0], strerror(errno));
	return EXIT_FAILED;
}

static int profile_run(const struct profile_request *request, const struct kernel *kernel)
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

static int run(const struct profile_request *request)
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
static const char *problem_of(const struct profile_request *request)
{
	enum profile_format format = request->output.format;

	if (request->parsed.options.pid_count && target_selector_is_set(&request->parsed.options.select))
		return "-p and options that select nodes exclude each other";
	if (request->parsed.options.command && (request->parsed.options.pid_count || request->is_top))
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

static const char *take_events(struct profile_request *request)
{
	const char *problem = profile_events_make(&request->events, &request->made);

	if (problem || !request->events.event)
		return problem;
	if (request->mode != PROFILING_CPU || request->is_top)
		return "--off-cpu, --wall and --top show time, and no events";
	request->mode = PROFILING_EVENTS;
	return NULL;
}

/* A waiting process is on no scheduler. Events do not record it, because this would multiply the number of stacks. */
static const char *problem_of_scheduler(const struct profile_request *request)
{
	return request->join.by == STACK_MERGE_SCHEDULER && request->mode != PROFILING_CPU
		       ? "--by scheduler is for processor time, not for --off-cpu, --wall or events"
		       : NULL;
}

int profile_run_main(int argc, char **argv)
{
	struct profile_request request = {
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
	if (request.parsed.wants_help) {
		profile_help();
		return output_finish(EXIT_OK);
	}
	request.output.file = request.parsed.options.output;
	request.output.rows = request.parsed.options.rows;
	problem = problem_of(&request);
	if (!problem)
		problem = take_events(&request);
	if (!problem)
		problem = problem_of_scheduler(&request);
	if (problem)
		return option_problem(&reader, problem);
	if (!request.interval_ns)
		request.interval_ns = DEFAULT_INTERVAL_NS;
	parse_set_log_level(&request.parsed);
	return run(&request);
}
