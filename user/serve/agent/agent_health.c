// SPDX-License-Identifier: BSD-2-Clause
#include "serve/agent/agent_parts.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "probe/catalogue.h"
#include "trace/attach.h"
#include "target/reader/quarantine.h"
#include "version.h"

static uint64_t resident_bytes(void)
{
	unsigned long pages = 0, resident = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file && fscanf(file, "%lu %lu", &pages, &resident) != 2)
		resident = 0;
	if (file)
		fclose(file);
	return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void tell_targets(struct agent *agent, const struct job *job)
{
	struct metric_family *up = metrics_family(
		agent->metrics, "erlbpf_target_up",
		"1 if the tool has attached probes to the node, 0 if it has not, for that reason.", METRIC_GAUGE,
		UNIT_NONE, 1);
	struct metric_label labels[METRICS_LABELS];

	for (size_t i = 0; up && i < follow_count(job->run.follow); i++) {
		const struct attachment *a = follow_get(job->run.follow, i);
		_cleanup_free_ char *reason = attachment_refusal(a);
		size_t count;

		if (follow_is_over(job->run.follow, i) && !target_is_alive(a->target))
			continue;
		count = node_labels_fill(agent->view.labels, a->target, labels);
		labels[count++] = (struct metric_label){ "tool", job->run.tool->name };
		labels[count++] = (struct metric_label){ "source", attachment_source(a) };
		if (reason)
			labels[count++] = (struct metric_label){ "reason", reason };
		metrics_set(agent->metrics, up, labels, count, a->site_count > 0);
	}
}

static void count_one(void *count, const struct quarantined *process)
{
	(void)process;
	++*(size_t *)count;
}

/* Processes that are skipped because they did not answer in time. */
static void tell_quarantine(struct agent *agent)
{
	struct metric_family *now = metrics_family(
		agent->metrics, "erlbpf_quarantined_processes",
		"Processes that are not read for now because they did not answer in time.", METRIC_GAUGE, UNIT_NONE, 1);
	struct metric_family *total = metrics_family(
		agent->metrics, "erlbpf_quarantines",
		"Times that a process was left alone because it did not answer in time.", METRIC_COUNTER, UNIT_NONE, 1);
	size_t count = 0;

	quarantine_each(count_one, &count);
	metrics_tell(agent->metrics, now, NULL, (double)count);
	metrics_tell(agent->metrics, total, NULL, (double)quarantine_total());
}

static void tell_info(struct agent *agent)
{
	struct metric_family *info = metrics_family(agent->metrics, "erlbpf_build_info",
						    "Always 1. The label is the version of the agent.", METRIC_GAUGE,
						    UNIT_NONE, 1);
	struct metric_label label = { "version", ERLBPF_VERSION };

	if (info)
		metrics_set(agent->metrics, info, &label, 1, 1);
}

static void tell_dropped(struct agent *agent)
{
	struct metric_family *dropped = metrics_family(
		agent->metrics, "erlbpf_names_without_series",
		"Process names counted as 'other' at the last reading because there were too many.", METRIC_GAUGE,
		UNIT_NONE, 1);

	for (size_t i = 0; dropped && i < metrics_count(agent->metrics); i++) {
		const struct metric_family *family = metrics_get(agent->metrics, i);
		struct metric_label label = { "metric", family->name };

		if (family->kind == METRIC_HISTOGRAM)
			metrics_set(agent->metrics, dropped, &label, 1, (double)family->dropped);
	}
}

static void tell_rings(struct agent *agent)
{
	struct metric_family *family = metrics_family(agent->metrics, "erlbpf_ring_used_ratio",
						      "Fraction of the ring buffer that holds unread records.",
						      METRIC_GAUGE, UNIT_NONE, 1);

	for (size_t i = 0; family && i < agent->options->tool_count; i++) {
		struct metric_label label = { "tool", agent->options->tools[i]->name };

		if (agent->jobs[i].is_on && agent->jobs[i].run.ring)
			metrics_set(agent->metrics, family, &label, 1, cost_ring_use(agent->jobs[i].run.loader));
	}
}

/* Attaching that failed for lack of descriptors or memory is retried at doubling intervals. */
static void tell_failures(struct agent *agent, const struct job *job)
{
	static const char *const reasons[FOLLOW_FAILURES] = {
		[FAILURE_DESCRIPTORS] = "descriptors",
		[FAILURE_MEMORY] = "memory",
		[FAILURE_PERMISSION] = "permission",
		[FAILURE_TIME] = "time",
		[FAILURE_OTHER] = "other",
	};
	struct metric_family *family = metrics_family(agent->metrics, "erlbpf_attach_failures",
						      "Attempts to attach a tool to a node that failed, by reason.",
						      METRIC_COUNTER, UNIT_NONE, 1);
	struct follow_stats stats = follow_stats(job->run.follow);

	for (size_t i = 0; family && i < FOLLOW_FAILURES; i++) {
		struct metric_label labels[] = { { "tool", job->run.tool->name }, { "reason", reasons[i] } };

		metrics_set(agent->metrics, family, labels, 2, (double)stats.failures[i]);
	}
}

/* True if an earlier tool traces this process by the same source, so it is already counted. */
static bool is_counted(const struct agent *agent, size_t before, const struct attachment *a)
{
	for (size_t j = 0; j < before; j++) {
		const struct job *job = &agent->jobs[j];

		for (size_t i = 0; job->is_on && i < follow_count(job->run.follow); i++) {
			const struct attachment *other = follow_get(job->run.follow, i);

			if (other->target->pid == a->target->pid && !follow_is_over(job->run.follow, i) &&
			    !strcmp(attachment_source(other), attachment_source(a)))
				return true;
		}
	}
	return false;
}

static void tell_sources(struct agent *agent)
{
	static const char *const sources[] = { "usdt", "symbol", "usdt+symbol", "matched", "usdt+matched", "none" };
	enum { COUNT = sizeof(sources) / sizeof(*sources) };
	struct metric_family *family = metrics_family(agent->metrics, "erlbpf_targets",
						      "Traced nodes, by source of their probes.", METRIC_GAUGE,
						      UNIT_NONE, 1);
	unsigned int counts[COUNT] = {};

	for (size_t j = 0; j < agent->options->tool_count; j++) {
		const struct job *job = &agent->jobs[j];

		for (size_t i = 0; job->is_on && i < follow_count(job->run.follow); i++) {
			const struct attachment *a = follow_get(job->run.follow, i);

			for (size_t s = 0; !follow_is_over(job->run.follow, i) && s < COUNT; s++)
				counts[s] += !strcmp(attachment_source(a), sources[s]) && !is_counted(agent, j, a);
		}
	}
	for (size_t s = 0; family && s < COUNT; s++) {
		struct metric_label label = { "source", sources[s] };

		metrics_set(agent->metrics, family, &label, 1, counts[s]);
	}
}

/* Sources of overhead: tools, then scripts. */

static int estimate_job_cost(struct job *job, struct cost *cost)
{
	uint64_t hits = 0;
	int err = run_counts(&job->run);

	for (uint32_t probe = 0; !err && probe < probe_count(); probe++)
		hits += job->run.now[probe].events + job->run.now[probe].lost;
	cost_estimate(hits, cost);
	return err;
}

static int job_cost(void *data, bool is_measured, struct cost *cost)
{
	struct job *job = data;

	*cost = (struct cost){};
	if (!is_measured)
		return estimate_job_cost(job, cost);
	cost_add_programs(job->run.loader, job->run.follow, cost);
	return 0;
}

static void job_each_target(void *data, void (*visit)(void *to, const struct target *target), void *to)
{
	const struct job *job = data;

	for (size_t i = 0; i < follow_count(job->run.follow); i++) {
		if (!follow_is_over(job->run.follow, i))
			visit(to, follow_get(job->run.follow, i)->target);
	}
}

static int cost_of_script(void *data, bool is_measured, struct cost *cost)
{
	return script_cost(data, is_measured, cost);
}

static void each_target_of_script(void *data, void (*visit)(void *to, const struct target *target), void *to)
{
	script_each_target(data, visit, to);
}

size_t agent_source_count(const struct agent *agent)
{
	return agent->options->tool_count + (agent->options->scripts ? SCRIPTS_MOST : 0);
}

struct script *agent_script(const struct agent *agent, size_t source)
{
	return source < agent->options->tool_count
		       ? NULL
		       : scripts_get(agent->scripts.list, source - agent->options->tool_count);
}

struct overhead_source agent_source(const struct agent *agent, size_t i)
{
	struct script *script = agent_script(agent, i);
	struct overhead_source source = {};

	if (i < agent->options->tool_count) {
		source.name = agent->options->tools[i]->name;
		source.data = &agent->jobs[i];
		source.cost = agent->jobs[i].is_on ? job_cost : NULL;
		source.each_target = job_each_target;
	} else if (script) {
		source.name = script_file(script);
		source.data = script;
		source.cost = script_state(script) == SCRIPT_RUNNING ? cost_of_script : NULL;
		source.each_target = each_target_of_script;
	}
	return source;
}

void agent_sources(const struct agent *agent, struct overhead_source sources[AGENT_MOST_TOOLS + SCRIPTS_MOST])
{
	for (size_t i = 0; i < agent_source_count(agent); i++)
		sources[i] = agent_source(agent, i);
}

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static struct metric_family *gauge(struct agent *agent, const char *name, const char *help, enum metric_unit unit)
{
	return metrics_family(agent->metrics, name, help, METRIC_GAUGE, unit, 1);
}

/* The agent's own process. */
static void tell_agent(struct agent *agent)
{
	struct metrics *metrics = agent->metrics;

	metrics_tell(metrics,
		     gauge(agent, "erlbpf_agent_resident_memory_bytes", "Resident memory of the agent.", UNIT_BYTES),
		     NULL, (double)resident_bytes());
	metrics_tell(metrics,
		     metrics_family(metrics, "erlbpf_agent_cpu_seconds", "CPU time of the agent since it started.",
				    METRIC_COUNTER, UNIT_SECONDS, 1),
		     NULL, cpu_seconds());
	metrics_tell(
		metrics,
		gauge(agent, "erlbpf_agent_read_seconds", "Duration of the last reading of all results.", UNIT_SECONDS),
		NULL, agent->reading.read_s);
	metrics_tell(metrics,
		     gauge(agent, "erlbpf_agent_last_read_timestamp_seconds", "Time of the last reading of results.",
			   UNIT_SECONDS),
		     NULL, (double)(agent->reading.read_ns + duration_wall_offset()) / NS_PER_S);
}

void agent_report_health(struct agent *agent)
{
	struct overhead_source sources[AGENT_MOST_TOOLS + SCRIPTS_MOST];

	metrics_clear_gauges(agent->metrics);
	tell_info(agent);
	for (size_t i = 0; i < agent->options->tool_count; i++) {
		if (!agent->jobs[i].is_on)
			continue;
		tell_targets(agent, &agent->jobs[i]);
		tell_failures(agent, &agent->jobs[i]);
	}
	tell_quarantine(agent);
	tell_rings(agent);
	tell_sources(agent);
	node_metrics_report(agent->node_metrics);
	tell_dropped(agent);
	agent_sources(agent, sources);
	overhead_tell(agent->overhead, agent->metrics, sources);
	if (agent->findings)
		findings_report(agent->findings);
	if (agent->scripts.list)
		scripts_report(agent->scripts.list);
	if (agent->push)
		push_tell(agent->push, agent->metrics);
	if (agent->push_profiles)
		push_profiles_tell(agent->push_profiles, agent->metrics);
	agent_profiles_tell(agent->profiles);
	tell_agent(agent);
}
