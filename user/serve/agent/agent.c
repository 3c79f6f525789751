// SPDX-License-Identifier: BSD-2-Clause
/*
 * The agent's loop, without threads except those that push (serve/http/sender.h): HTTP requests, signals, nodes that
 * start and end. A running tool counts in the kernel. A scrape reads the counts since the last one through a sink that
 * adds them to the metrics.
 */
#include "serve/agent/agent_parts.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/io/event_loop.h"
#include "base/log.h"
#include "base/process/yield.h"
#include "budget/hit_cost.h"
#include "load/guardian/guardian.h"
#include "serve/http/privileges.h"
#include "target/image/image.h"
#include "target/reader/reader.h"
#include "trace/heal.h"
#include "trace/stop.h"

#define MOST_IMAGES (64u << 20) /* cache of all nodes' executables; usually 1 MiB each */
#define SCAN_NS NS_PER_S

/* Starting and ending jobs. */

/* Reads the results of an ended node while its labels are still known. */
static void on_end_of_target(void *data, uint64_t times)
{
	struct agent *agent = data;

	(void)times;
	agent_read_now(agent);
	for (size_t i = 0; i < agent->options->tool_count; i++) {
		if (agent->jobs[i].is_on)
			follow_reap(agent->jobs[i].run.follow);
	}
}

static int start_one(struct agent *agent, size_t i, enum governor_level level)
{
	int err = job_start(&agent->jobs[i], agent, agent->options->tools[i], level);

	if (!err)
		err = event_loop_add(agent->waiting, follow_fd(agent->jobs[i].run.follow), on_end_of_target, agent);
	if (err)
		pr_err("cannot start %s: %s", agent->options->tools[i]->name, strerror(-err));
	return err;
}

static int start_jobs(struct agent *agent)
{
	int err = 0;

	for (size_t i = agent->options->tool_count; i < agent_source_count(agent); i++)
		overhead_tool_start(agent->overhead, i, false, false);
	for (size_t i = 0; !err && i < agent->options->tool_count; i++) {
		overhead_tool_start(agent->overhead, i, job_has_detail(agent->options->tools[i]), true);
		err = start_one(agent, i, GOVERNOR_FULL);
	}
	return err;
}

static void scan_job(struct job *job)
{
	/* A tool with a screen refers to targets by number, so none is removed. */
	if (!job->run.tool->view)
		follow_forget(job->run.follow);
	if (job->is_in_windows)
		pace_forget(&job->run.pace);
	job->code = follow_scan(job->run.follow);
	job_settle_names(job);
}

/* The counts so far are in the metrics. Unfinished measurements are dropped: their ends would be missed. */
static void change_job(struct agent *agent, size_t i, enum governor_level level)
{
	struct job *job = &agent->jobs[i];

	if (job->is_on)
		event_loop_remove(agent->waiting, follow_fd(job->run.follow));
	job_end(job);
	if (level != GOVERNOR_OFF && start_one(agent, i, level)) {
		job_end(job);
		level = GOVERNOR_OFF;
	}
	if (job->is_on && level == GOVERNOR_WINDOWS)
		follow_pause(job->run.follow);
	if (job->is_on)
		scan_job(job);
	if (job->is_on && level == GOVERNOR_WINDOWS)
		job_run_in_windows(job, overhead_window_share(agent->overhead));
	overhead_set_level(agent->overhead, i, level);
}

static void tell_change(const struct agent *agent, size_t i)
{
	static const char *const words[] = {
		[GOVERNOR_OFF] = "is off",
		[GOVERNOR_WINDOWS] = "runs part of the time",
		[GOVERNOR_PLAIN] = "runs without names",
		[GOVERNOR_FULL] = "runs in full",
	};
	enum governor_level level = overhead_level(agent->overhead, i), wanted = overhead_wanted(agent->overhead, i);
	const char *name = agent_source(agent, i).name;

	if (wanted < level)
		pr_warn("%s %s: the tools cost a node %.1f%% of a CPU; the limit is %.1f%%", name, words[wanted],
			overhead_sum(agent->overhead) * 100, agent->options->max_overhead * 100);
	else
		pr_info("%s %s again: the cost is below the limit of %.1f%%", name, words[wanted],
			agent->options->max_overhead * 100);
}

static bool wants_change(const struct agent *agent, size_t i)
{
	return overhead_wanted(agent->overhead, i) != overhead_level(agent->overhead, i);
}

static void change_script(struct agent *agent, size_t i, enum governor_level level)
{
	struct script *script = agent_script(agent, i);

	if (script && level == GOVERNOR_OFF)
		script_turn_off(script);
	else if (script)
		script_turn_on(script);
	overhead_set_level(agent->overhead, i, level);
}

static void change(struct agent *agent, size_t i, enum governor_level level)
{
	if (i < agent->options->tool_count)
		change_job(agent, i, level);
	else
		change_script(agent, i, level);
}

static void govern(struct agent *agent)
{
	struct overhead_source sources[AGENT_MOST_TOOLS + SCRIPTS_MOST];

	agent_sources(agent, sources);
	if (!overhead_tick(agent->overhead, sources))
		return;
	agent_read_now(agent);
	/* Prints all messages before the first change, because each changes the sum. */
	for (size_t i = 0; i < agent_source_count(agent); i++) {
		if (wants_change(agent, i) && sources[i].name)
			tell_change(agent, i);
	}
	for (size_t i = 0; i < agent_source_count(agent); i++) {
		if (wants_change(agent, i))
			change(agent, i, overhead_wanted(agent->overhead, i));
	}
	agent_windows_update(agent);
	agent_report_health(agent);
	agent->reading.version++;
}

static void scan(struct agent *agent)
{
	for (size_t i = 0; i < agent->options->tool_count; i++) {
		if (agent->jobs[i].is_on)
			scan_job(&agent->jobs[i]);
	}
}

/* Tables of a node's processes are large and end with the node: each gets a mapping of its own, always. */
static void map_large_blocks(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

/* Reading a VM and loading programs needs some megabytes briefly, part of which malloc() would keep. */
static void give_back_memory(struct agent *agent)
{
	size_t traced = 0;

	for (size_t i = 0; i < agent->options->tool_count; i++) {
		if (agent->jobs[i].is_on)
			traced += follow_stats(agent->jobs[i].run.follow).attached;
	}
	if (traced == agent->traced)
		return;
	agent->traced = traced;
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

static int start_findings(struct agent *agent)
{
	if (!agent->options->with_findings)
		return 0;
	agent->findings = findings_new(&agent->view);
	return agent->findings ? 0 : -errno;
}

static bool has_steps(const struct agent *agent)
{
	return agent->scripts.list && scripts_are_busy(agent->scripts.list);
}

/* The loop. */

static void on_signal(void *data, uint64_t times)
{
	struct agent *agent = data;

	(void)times;
	event_loop_stop(agent->waiting);
}

/* The service manager restarts the agent. */
static void on_end_of_guardian(void *data, uint64_t times)
{
	struct agent *agent = data;

	(void)times;
	pr_err("%s", GUARDIAN_GONE);
	agent->has_lost_probes = true;
	event_loop_stop(agent->waiting);
}

static void on_http(void *data, uint64_t times)
{
	struct agent *agent = data;

	(void)times;
	http_run(agent->http);
}

static void on_second(void *data, uint64_t times)
{
	struct agent *agent = data;

	(void)times;
	scan(agent);
	agent_scripts_tick(agent);
	govern(agent);
	if (agent->findings)
		findings_tick(agent->findings);
	node_metrics_tick(agent->node_metrics);
	process_table_tick(agent->process_table);
	agent_read_by_tick(agent);
	agent_profiles_tick(agent->profiles);
	give_back_memory(agent);
	if (agent->push && agent->reading.read_ns)
		push_tick(agent->push, agent->metrics, agent->reading.read_ns);
	if (agent->push_profiles)
		push_profiles_tick(agent->push_profiles);
	if (duration_now() - agent->answers.scraped_ns > AGENT_FRESH_NS)
		agent_forget_answers(agent);
	http_run(agent->http);
	notify_watchdog(&agent->notify);
}

static int add_signals(struct agent *agent)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : event_loop_add(agent->waiting, fd, on_signal, agent);
}

static int prepare_loop(struct agent *agent)
{
	int err = add_signals(agent);

	if (!err)
		err = event_loop_add_timer(agent->waiting, duration_now() + SCAN_NS, SCAN_NS, on_second, agent);
	if (!err)
		err = event_loop_add(agent->waiting, http_fd(agent->http), on_http, agent);
	if (!err)
		err = event_loop_add(agent->waiting, guardian_fd(), on_end_of_guardian, agent);
	if (err)
		pr_err("cannot wait for events: %s", strerror(-err));
	return err;
}

static void breathe(void *data)
{
	struct agent *agent = data;

	agent->is_yielding = true;
	http_run_new(agent->http);
	agent->is_yielding = false;
}

/* Compiles scripts in steps, and answers requests in between. */
static void loop(struct agent *agent)
{
	while (!event_loop_is_stopped(agent->waiting)) {
		event_loop_turn(agent->waiting, has_steps(agent) ? 0 : -1);
		if (agent->scripts.list)
			scripts_step(agent->scripts.list);
		if (http_has_later(agent->http))
			http_run(agent->http);
	}
}

static int open_push(struct agent *agent)
{
	const struct push_options *options = &agent->options->push;

	struct profile_hour *hour = agent_profiles_hour(agent->profiles);

	if (!options->url[0])
		return 0;
	agent->push = push_new(options);
	if (!agent->push)
		return -EIO;
	if (!hour || !options->profiles_url[0])
		return 0;
	agent->push_profiles = push_profiles_new(options, hour, agent->waiting);
	return agent->push_profiles ? 0 : -EIO;
}

static int start_push(struct agent *agent)
{
	char interval[32];
	int err = agent->push ? push_start(agent->push) : 0;

	if (agent->push_profiles && !err)
		err = push_profiles_start(agent->push_profiles);
	if (agent->push && !err)
		pr_info("Pushing to %s every %s.", agent->options->push.url,
			duration_format(agent->options->push.interval_ns, interval));
	if (agent->push_profiles && !err)
		pr_info("Pushing profiles to %s every minute.", agent->options->push.profiles_url);
	return err;
}

static enum agent_filter filter_of(const struct agent *agent)
{
	return agent->options->without_filter ? FILTER_NONE : agent->push ? FILTER_WITH_CALLS : FILTER_ALL;
}

static int prepare(struct agent *agent)
{
	const char *refusal;

	/* Before the guardian starts: the profiler has a guardian of its own. */
	agent->profiles = agent_profiles_new(agent);
	if (!agent->profiles)
		return EXIT_FAILED;
	if (agent->options->users) {
		agent->users = users_new(agent->options->users, agent->options->without_filter);
		if (!agent->users)
			return EXIT_FAILED;
	}
	/* First, as in tools: what the kernel lacks is not a missing privilege. */
	if (guardian_start())
		return EXIT_FAILED;
	map_large_blocks();
	kernel_detect(&agent->kernel);
	refusal = kernel_refusal(&agent->kernel);
	if (refusal) {
		pr_err("%s", refusal);
		privileges_check(&agent->kernel);
		return EXIT_NO_PRIVILEGE;
	}
	privileges_check(&agent->kernel);
	hit_costs_begin(&agent->kernel);
	image_limit_all(MOST_IMAGES);
	reader_hurry();
	heal_nodes(&agent->options->run, &agent->kernel);
	/* Requests that arrive before the agent is ready wait, and are not refused. */
	agent->http = http_new(agent->options->listen, agent->options->allow_host, agent_answer, agent);
	agent->overhead = overhead_new(agent_source_count(agent), agent->options->max_overhead);
	if (!agent->http || !agent->overhead || open_push(agent) || start_jobs(agent) || prepare_loop(agent) ||
	    agent_scripts_start(agent) || start_findings(agent))
		return EXIT_FAILED;
	yield_set(http_fd(agent->http), breathe, agent);
	metrics_begin(agent->metrics, agent->started_ns);
	scan(agent);
	/* The first measurement, with which the next one is compared. */
	govern(agent);
	if (privileges_drop(&agent->kernel, filter_of(agent)) || start_push(agent))
		return EXIT_FAILED;
	agent->reading.read_ns = 0;
	agent->is_ready = true;
	notify_tell(&agent->notify, "READY=1\nSTATUS=Tracing nodes and serving metrics");
	pr_info("Serving http://%s/metrics (port %u). Ctrl-C ends it.", agent->options->listen, http_port(agent->http));
	return EXIT_OK;
}

static const struct target *search_nodes(const void *data, size_t tool, node_visit *visit, void *to)
{
	const struct agent *agent = data;
	const struct job *job = &agent->jobs[tool];

	for (size_t i = 0; job->is_on && i < follow_count(job->run.follow); i++) {
		const struct target *target = follow_get(job->run.follow, i)->target;

		if (!follow_is_over(job->run.follow, i) && visit(to, target))
			return target;
	}
	return NULL;
}

int agent_run(const struct agent_options *options)
{
	struct agent agent = {
		.options = options,
		.waiting = event_loop_new(),
		.metrics = metrics_new(options->names),
		.history = history_new(),
		.jobs = calloc(options->tool_count + 1, sizeof(struct job)),
		.started_ns = duration_now(),
		.notify = notify_open(),
	};
	int code = EXIT_FAILED;

	agent.view = (struct node_view){
		.metrics = agent.metrics,
		.waiting = agent.waiting,
		.labels = node_labels_new(options->run.select.pod_logs),
		.tool_count = options->tool_count,
		.search = search_nodes,
		.data = &agent,
	};
	agent.process_table = process_table_new(&agent.view);
	agent.node_metrics = agent.waiting ? node_metrics_new(&agent.view) : NULL;
	if (agent.jobs && agent.view.labels && agent.metrics && agent.history && agent.process_table &&
	    agent.node_metrics)
		code = prepare(&agent);

	if (code == EXIT_OK) {
		loop(&agent);
		code = event_loop_error(agent.waiting) || agent.has_lost_probes ? EXIT_FAILED : EXIT_OK;
	}
	agent_forget_answers(&agent);
	notify_tell(&agent.notify, "STOPPING=1");
	stop_answer();
	yield_set(-1, NULL, NULL);
	heal_no_more();
	http_free(agent.http);
	push_profiles_free(agent.push_profiles);
	agent_profiles_free(agent.profiles);
	users_free(agent.users);
	push_free(agent.push);
	scripts_free(agent.scripts.list);
	findings_free(agent.findings);
	process_table_free(agent.process_table);
	node_metrics_free(agent.node_metrics);
	for (size_t i = 0; agent.jobs && i < options->tool_count; i++)
		job_end(&agent.jobs[i]);
	agent_windows_stop(&agent);
	free(agent.jobs);
	node_labels_free(agent.view.labels);
	overhead_free(agent.overhead);
	history_free(agent.history);
	metrics_free(agent.metrics);
	event_loop_free(agent.waiting);
	notify_close(&agent.notify);
	return code;
}
