// SPDX-License-Identifier: BSD-2-Clause
/* The agent's D scripts: what they need of the agent, and when their directory is read. */
#include <errno.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "serve/agent/agent_parts.h"

#define LOOK_NS (5 * NS_PER_S)

static const struct target *find_target(void *data, pid_t pid)
{
	const struct agent *agent = data;

	for (size_t i = 0; i < agent->options->tool_count; i++) {
		const struct target *target = agent->jobs[i].is_on ? job_target(&agent->jobs[i], pid) : NULL;

		if (target)
			return target;
	}
	return NULL;
}

static size_t label_target(void *data, const struct target *target, struct metric_label *labels)
{
	const struct agent *agent = data;

	return node_labels_fill(agent->view.labels, target, labels);
}

/* Only the reading of a tick can be interrupted: other requests for metrics get the last results. */
static void answer_requests(void *data)
{
	struct agent *agent = data;

	if (agent->reading.is_in_turns)
		http_run(agent->http);
}

/* The cost of a new or changed script is not known yet. */
static void account_for_scripts(struct agent *agent)
{
	for (size_t i = 0; i < SCRIPTS_MOST; i++) {
		if (scripts_has_changed(agent->scripts.list, i))
			overhead_tool_start(agent->overhead, agent->options->tool_count + i, false, false);
	}
}

int agent_scripts_start(struct agent *agent)
{
	struct agent_scripts *scripts = &agent->scripts;

	if (!agent->options->scripts)
		return 0;
	scripts->setup = (struct script_setup){
		.directory = agent->options->scripts,
		.select = &agent->options->run.select,
		.kernel = &agent->kernel,
		.waiting = agent->waiting,
		.metrics = agent->metrics,
		.series = agent->options->script_series,
		.host = { find_target, label_target, answer_requests, agent },
	};
	scripts->looked_ns = duration_now();
	scripts->list = scripts_new(&scripts->setup);
	if (!scripts->list) {
		pr_err("cannot read the scripts of %s: %s", agent->options->scripts, strerror(errno));
		return -ENOENT;
	}
	account_for_scripts(agent);
	return 0;
}

void agent_scripts_tick(struct agent *agent)
{
	struct agent_scripts *scripts = &agent->scripts;

	if (!scripts->list || duration_now() - scripts->looked_ns < LOOK_NS)
		return;
	scripts->looked_ns = duration_now();
	scripts_look(scripts->list);
	account_for_scripts(agent);
}
