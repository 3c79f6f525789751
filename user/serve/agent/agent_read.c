// SPDX-License-Identifier: BSD-2-Clause
/* When the agent reads what its tools and scripts have counted. */
#include "serve/agent/agent_parts.h"

#include "base/duration.h"

#define WATCHED_NS                                                                                                     \
	(150 * NS_PER_S) /* how long after a scrape the next one is expected: twice the longest usual interval */
#define UNWATCHED_NS (10 * NS_PER_S) /* interval of reading without scrapes */
#define KEEP_NS (3600 * NS_PER_S)    /* series without updates for this long are removed */

/*
 * Reading takes two steps: all programs switch to their other maps; once no program uses the old ones, these are read.
 * Waiting for that takes 15 ms or more in the kernel, while no request is answered. So while there are scrapes, each
 * second's tick reads the maps that the last tick switched, and a scrape gets these results, one to two seconds old.
 * The same applies shortly before a push. Otherwise results are read now and then, so that nothing overflows.
 */
static void turn_all(struct agent *agent)
{
	for (size_t i = 0; i < agent->options->tool_count; i++) {
		if (agent->jobs[i].is_on)
			run_turn(&agent->jobs[i].run);
	}
	agent->reading.is_turned = true;
}

static void read_scripts(struct agent *agent)
{
	for (size_t i = 0; agent->scripts.list && i < SCRIPTS_MOST; i++) {
		if (!scripts_get(agent->scripts.list, i))
			continue;
		script_take(scripts_get(agent->scripts.list, i));
		if (agent->reading.is_in_turns)
			http_run(agent->http);
	}
}

static void take_all(struct agent *agent)
{
	struct metric_family *hits = metrics_family(agent->metrics, "erlbpf_probe_hits", "Probe hits.", METRIC_COUNTER,
						    UNIT_NONE, 1);
	struct metric_family *lost = metrics_family(agent->metrics, "erlbpf_probe_lost",
						    "Probe hits that could not be counted.", METRIC_COUNTER, UNIT_NONE,
						    1);
	uint64_t start = duration_now();

	metrics_begin(agent->metrics, start);
	for (size_t i = 0; hits && lost && i < agent->options->tool_count; i++) {
		job_read(&agent->jobs[i], hits, lost);
		/* Answers requests between tools. */
		if (agent->reading.is_in_turns)
			http_run(agent->http);
	}
	read_scripts(agent);
	agent->reading.is_turned = false;
	agent->reading.read_ns = duration_now();
	agent->reading.read_s = (double)(agent->reading.read_ns - start) / NS_PER_S;
	metrics_expire(agent->metrics, agent->reading.read_ns > KEEP_NS ? agent->reading.read_ns - KEEP_NS : 0);
	agent_report_health(agent);
	history_add(agent->history, agent->metrics, agent->reading.read_ns);
	agent->reading.version++;
}

void agent_read_now(struct agent *agent)
{
	if (agent->reading.is_turned) {
		kernel_quiesce();
		take_all(agent);
	}
	turn_all(agent);
	kernel_quiesce();
	take_all(agent);
}

static bool wants_reading(const struct agent *agent)
{
	uint64_t now = duration_now();

	return (agent->answers.scrapes && now - agent->answers.scraped_ns < WATCHED_NS) ||
	       now - agent->reading.read_ns >= UNWATCHED_NS || (agent->push && push_is_near(agent->push, now));
}

void agent_read_by_tick(struct agent *agent)
{
	if (!wants_reading(agent))
		return;
	if (agent->reading.is_turned) {
		agent->reading.is_in_turns = true;
		take_all(agent);
		agent->reading.is_in_turns = false;
	}
	turn_all(agent);
}
