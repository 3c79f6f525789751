// SPDX-License-Identifier: BSD-2-Clause
#include "serve/agent/agent_parts.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "out/json_line.h"
#include "probe/catalogue.h"
#include "trace/attach.h"
#include "serve/metrics/native.h"
#include "serve/http/page.h"
#include "serve/metrics/prometheus.h"
#include "target/reader/quarantine.h"

static void answer_text(struct http_reply *reply, unsigned int status, const char *text)
{
	reply->status = status;
	reply->type = "text/plain; charset=utf-8";
	reply->body = (char *)text;
	reply->size = strlen(text);
	reply->is_constant = true;
}

/* An answer older than the next reading is not used again. */
void agent_forget_answers(struct agent *agent)
{
	for (int i = 0; i < FORMATS; i++) {
		http_body_free(agent->http, agent->answers.last[i].body);
		agent->answers.last[i].body = NULL;
	}
}

static const char *const types[FORMATS] = {
	[TEXT] = PROMETHEUS_TEXT, [OPENMETRICS] = PROMETHEUS_OPENMETRICS, [NATIVE] = NATIVE_TYPE
};

static struct http_body *render(struct agent *agent, enum answer_format format)
{
	size_t size = 0;
	char *text = format == NATIVE ? native_render(agent->metrics, &size)
				      : prometheus_render(agent->metrics, format == OPENMETRICS, &size);

	return text ? http_body_new(agent->http, types[format], text, size) : NULL;
}

/* A client that accepts native histograms prefers them, and lists fallbacks after them. */
static enum answer_format format_of(const char *accept)
{
	if (strstr(accept, "application/vnd.google.protobuf") && strstr(accept, "io.prometheus.client.MetricFamily") &&
	    strstr(accept, "delimited"))
		return NATIVE;
	return strstr(accept, "application/openmetrics-text") ? OPENMETRICS : TEXT;
}

static void answer_metrics(struct agent *agent, const struct http_request *request, struct http_reply *reply)
{
	enum answer_format format = format_of(request->accept);
	struct answer *last = &agent->answers.last[format];
	struct http_body *body;

	if (duration_now() - agent->reading.read_ns > AGENT_FRESH_NS && !agent->reading.is_in_turns)
		agent_read_now(agent);
	agent->answers.scrapes++;
	agent->answers.scraped_ns = duration_now();
	/* While too many bodies are being fetched, sends an old answer rather than none. */
	body = !last->body || (last->version != agent->reading.version && http_has_room(agent->http))
		       ? render(agent, format)
		       : NULL;
	if (body) {
		http_body_free(agent->http, last->body);
		*last = (struct answer){ .body = body, .version = agent->reading.version };
	}
	reply->shared = last->body;
	if (!reply->shared)
		answer_text(reply, 503, "no memory\n");
}

static json_object *target_json(struct agent *agent, const struct job *job, const struct attachment *a, bool is_over)
{
	const struct pod *pod = node_labels_pod(agent->view.labels, a->target);
	json_object *object = json_new(), *missing = json_new_list();
	_cleanup_free_ char *reason = attachment_refusal(a);
	char name[2 * PROBE_NAME_SIZE];

	json_add_text(object, "tool", job->run.tool->name);
	json_add(object, "os_pid", json_signed(a->target->pid));
	json_add_text(object, "node", a->target->node);
	json_add(object, "otp", json_signed(a->target->vm->otp));
	json_add_text(object, "source", attachment_source(a));
	json_add_number(object, "sites", a->site_count);
	json_add(object, "alive", json_truth(!is_over));
	json_add_text(object, "namespace", pod->namespace);
	json_add_text(object, "pod", pod->name);
	json_add_text(object, "container", pod->container);
	if (pod->is_denied)
		json_add_text(object, "problem",
			      "cannot read its environment, so the name of its pod is unknown: the capability "
			      "DAC_READ_SEARCH is missing");
	for (size_t i = 0; i < a->missing_count; i++) {
		json_object *one = json_new();

		json_add_text(one, "probe", probe_range_name(a->missing[i].probe, a->missing[i].last, name));
		json_add_text(one, "why", a->missing[i].why);
		json_push(missing, one);
	}
	json_add_text(object, "refused", reason);
	json_add(object, "missing", missing);
	return object;
}

static json_object *targets_json(struct agent *agent)
{
	json_object *targets = json_new_list();

	for (size_t j = 0; j < agent->options->tool_count; j++) {
		const struct job *job = &agent->jobs[j];

		for (size_t i = 0; job->is_on && i < follow_count(job->run.follow); i++)
			json_push(targets, target_json(agent, job, follow_get(job->run.follow, i),
						       follow_is_over(job->run.follow, i)));
	}
	return targets;
}

/* A process that is skipped because it did not answer in time. */
static void add_quarantined(void *list, const struct quarantined *process)
{
	uint64_t now = duration_now();
	uint64_t left = process->until_ns > now ? process->until_ns - now : 0;
	json_object *one = json_new();

	json_add(one, "os_pid", json_signed(process->pid));
	json_add_text(one, "why", process->why);
	json_add(one, "times", json_signed((int)process->times));
	json_add(one, "seconds_left", json_real((double)left / NS_PER_S));
	json_push(list, one);
}

static json_object *quarantine_json(void)
{
	json_object *list = json_new_list();

	quarantine_each(add_quarantined, list);
	return list;
}

/* Includes tools that the governor has turned off. */
static json_object *tools_json(const struct agent *agent)
{
	json_object *list = json_new_list();

	for (size_t i = 0; i < agent->options->tool_count; i++) {
		enum governor_level level = overhead_level(agent->overhead, i);
		json_object *one = json_new();

		json_add_text(one, "tool", agent->options->tools[i]->name);
		json_add_text(one, "level", governor_level_name(level));
		if (level != GOVERNOR_FULL)
			json_add_text(one, "why", "overhead");
		json_push(list, one);
	}
	return list;
}

static void answer_json(struct http_reply *reply, json_object *object)
{
	reply->body = json_body(object, &reply->size);
	reply->type = "application/json";
	reply->status = reply->body ? 200 : 500;
}

static void answer_targets(struct agent *agent, struct http_reply *reply)
{
	json_object *all = json_new();

	json_add(all, "targets", targets_json(agent));
	json_add(all, "quarantined", quarantine_json());
	json_add(all, "tools", tools_json(agent));
	json_add_number(all, "profile_hz", agent->options->profile_hz);
	json_add(all, "scripts", agent->scripts.list ? scripts_json(agent->scripts.list) : json_new_list());
	answer_json(reply, all);
}

static void answer_constant(struct http_reply *reply, const char *type, const char *body, size_t size)
{
	reply->type = type;
	reply->policy = PAGE_POLICY;
	reply->body = (char *)body;
	reply->size = size;
	reply->is_constant = true;
}

void agent_answer(void *data, const struct http_request *request, struct http_reply *reply)
{
	struct agent *agent = data;

	if (!strcmp(request->path, "/"))
		answer_constant(reply, "text/html; charset=utf-8", page, page_size);
	else if (!strcmp(request->path, "/dygraph.js"))
		answer_constant(reply, "text/javascript; charset=utf-8", page_charts, page_charts_size);
	else if (!strcmp(request->path, "/-/healthy"))
		answer_text(reply, 200, "healthy\n");
	else if (!strcmp(request->path, "/-/ready"))
		answer_text(reply, agent->is_ready ? 200 : 503, agent->is_ready ? "ready\n" : "not ready\n");
	else if (agent->is_yielding)
		reply->is_later = true;
	else if (!strcmp(request->path, "/metrics"))
		answer_metrics(agent, request, reply);
	else if (!strcmp(request->path, "/targets"))
		answer_targets(agent, reply);
	else if (!strcmp(request->path, "/history"))
		answer_json(reply, history_json(agent->history));
	else if (!strcmp(request->path, "/findings"))
		answer_json(reply, findings_json(agent->findings));
	else if (!strcmp(request->path, "/processes"))
		process_table_answer(agent->process_table, request, reply);
	else if (!strcmp(request->path, PROFILE_PATH) || !strcmp(request->path, PROFILE_PATH_PPROF))
		agent_profiles_answer(agent->profiles, request, reply);
	else
		answer_text(
			reply, 404,
			"not found; the paths are /, /metrics, /targets, /findings, /history, /processes, /profile, "
			"/-/healthy and /-/ready\n");
}
